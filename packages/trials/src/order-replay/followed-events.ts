/** Clients that follow while orders are placed, and the events that they get, which are part of the history. */
import type { HistoryRecorder } from '../../../simulator/src/history/recorder.ts'
import type { Buyer } from './buyer.ts'
import { type EventFollower, readFeedAgain } from './event-follower.ts'
import { recordEvents } from './recorded-events.ts'

/** A client that follows something until a condition holds. */
interface Following {
  followUntil(isOver: () => boolean): Promise<void>
}

/** Runs `work` while clients follow. Returns the result of `work`. */
export async function followWhile<T>(followers: readonly Following[], work: () => Promise<T>): Promise<T> {
  let isOver = false
  const working = work().finally(() => {
    isOver = true
  })
  const following = followers.map((each) => each.followUntil(() => isOver))
  const [result] = await Promise.all([working, ...following])
  return result
}

/** Records the whole feed, and what the follower has of it. Nothing may change any more. */
export async function recordFeed(
  history: HistoryRecorder,
  buyer: Pick<Buyer, 'read'>,
  follower: EventFollower,
): Promise<void> {
  const fresh = await readFeedAgain(buyer, follower)
  recordEvents(history, { fresh, followed: follower.events })
}
