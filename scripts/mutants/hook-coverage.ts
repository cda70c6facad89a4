/**
 * Which tests reach the code that hooks such as `beforeAll` run. Stryker knows the test that runs, and takes all other
 * code for that of loading a module. For each mutant of such code it would start its runner again and run the whole
 * suite: hours for a suite whose files each sign in first. Here the hooks of a file belong to each of its tests.
 */

/** How often the code of each mutant ran, by the mutant's id. */
export type Counts = Record<string, number>

/** What Stryker counts: outside of tests, and in each test. */
export interface Coverage {
  readonly static: Counts
  readonly perTest: Record<string, Counts>
}

/**
 * Moves what ran outside of the tests of a file to each of them. `loaded` is what had run before the first hook: that
 * stays, because it ran while modules were loaded.
 */
export function attributeHooks(coverage: Coverage, loaded: Counts, tests: readonly string[]): void {
  for (const [mutant, count] of Object.entries(coverage.static)) {
    const whileLoading = loaded[mutant] ?? 0
    if (count === whileLoading) continue
    for (const test of tests) {
      const counts = coverage.perTest[test] ?? {}
      counts[mutant] = (counts[mutant] ?? 0) + count - whileLoading
      coverage.perTest[test] = counts
    }
    if (whileLoading === 0) delete coverage.static[mutant]
    else coverage.static[mutant] = whileLoading
  }
}
