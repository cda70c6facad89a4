/** When a delivery is tried: at once, and so long after each failure before; then it is a dead letter. */
export const retryDelaysMs = [30_000, 120_000, 600_000, 3_600_000, 21_600_000] as const

/** How long to wait after so many failed attempts; undefined where there is no further one. */
export function delayAfter(failures: number): number | undefined {
  return retryDelaysMs[failures - 1]
}
