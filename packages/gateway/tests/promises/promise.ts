/**
 * A promise of the gateway and the tests that would fail if it were broken. Each sentence is written here and nowhere
 * else: `npm run promises` writes the pages and the table of `SECURITY.md` from it.
 */
export interface Promised {
  readonly en: string
  readonly zh: string
  readonly ko: string
  /**
   * The names of `describe` or `it` blocks that check the promise, by the path of their test file from the root of the
   * repository. Empty if no test checks it yet.
   */
  readonly triedBy: Readonly<Record<string, readonly string[]>>
}
