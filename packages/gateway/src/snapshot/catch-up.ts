/**
 * A request may name a version: as its cursor, as the tag of `If-None-Match`, or as the page that follows an earlier
 * one. Another process may have sent that version from a newer copy. This process then updates its own copy before it
 * responds, so that a client that changes between processes never gets an older state than it has seen.
 */

import { GatewayError } from '../contract/errors.ts'

/** The longest time that a request waits for a copy to reach the version that it names. */
export const maxVersionWaitMs = 1_000
const retrySeconds = 1

/**
 * Waits for a turn of the mirror, which reads everything that any process has sent before. Throws `INTERNAL` with
 * status 503 and `storage_unavailable` if the turn takes longer than `maxVersionWaitMs`.
 */
export async function catchUp(mirror: { follow(): Promise<void> }): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    reject(
      new GatewayError('INTERNAL', {
        status: 503,
        reason: 'storage_unavailable',
        say: ['copy_behind'],
        hint: ['hint_copy_behind'],
        retryAfter: retrySeconds,
      }),
    )
  }, maxVersionWaitMs)
  try {
    await Promise.race([mirror.follow(), late])
  } finally {
    clearTimeout(timer)
  }
}
