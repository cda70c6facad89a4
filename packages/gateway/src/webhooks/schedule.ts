/**
 * The delay after each failed attempt. If the attempt after the last delay fails too, the delivery becomes a dead
 * letter.
 */
export const retryDelaysMs = [30_000, 120_000, 600_000, 3_600_000, 21_600_000] as const

/** The largest number of attempts of a delivery before it becomes a dead letter. */
export const maxAttempts = retryDelaysMs.length + 1

/** Returns the delay after `failures` failed attempts; undefined if there is no further attempt. */
export function findRetryDelay(failures: number): number | undefined {
  return retryDelaysMs[failures - 1]
}
