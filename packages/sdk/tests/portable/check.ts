/** The little that the portable cases need of a test library, so that they run where there is none. */

export function checkEqual(actual: unknown, expected: unknown, what = 'value'): void {
  const [one, other] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (one !== other) throw new Error(`${what} is ${one} and should be ${other}`)
}

export function checkTrue(condition: boolean, what: string): void {
  if (!condition) throw new Error(`It is not true that ${what}.`)
}

/** Returns what a promise throws. Throws if it does not. */
export async function catchError(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise
  } catch (error) {
    if (error instanceof Error) return error
    throw new Error(`${String(error)} was thrown, which is no Error.`)
  }
  throw new Error('Nothing was thrown.')
}
