/**
 * A histogram of durations whose size does not grow with their number. Each doubling has eight buckets, so a quantile
 * that is read from it differs from the exact one by at most 5 %.
 */

const bucketsPerDoubling = 8
/** The last bucket has everything from about 18 minutes. */
const maxBucket = 240

export class Histogram {
  /** The counts by bucket; buckets without a duration are missing. */
  readonly #counts = new Map<number, number>()
  #total = 0

  /** Counts a duration in microseconds. */
  add(durationUs: number) {
    this.addToBucket(toBucket(durationUs), 1)
  }

  /** Adds durations that were counted elsewhere. */
  addToBucket(bucket: number, calls: number) {
    this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + calls)
    this.#total += calls
  }

  /** The number of durations. */
  get total(): number {
    return this.#total
  }

  /** Returns the duration in milliseconds that this share of the durations does not exceed; null without any. */
  readQuantileMs(share: number): number | null {
    let remaining = Math.ceil(this.#total * share)
    for (const [bucket, calls] of [...this.#counts].toSorted(([one], [other]) => one - other)) {
      remaining -= calls
      if (remaining <= 0) return toMilliseconds(bucket)
    }
    return null
  }
}

/** Returns the bucket of a duration in microseconds. */
export function toBucket(durationUs: number): number {
  if (durationUs <= 1) return 0
  return Math.min(maxBucket, Math.floor(Math.log2(durationUs) * bucketsPerDoubling))
}

/** Returns the middle of a bucket in milliseconds, to the microsecond. */
function toMilliseconds(bucket: number): number {
  return Math.round(2 ** ((bucket + 0.5) / bucketsPerDoubling)) / 1000
}
