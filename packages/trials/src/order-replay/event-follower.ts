/** A client that follows the events of its channel. */
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import type { Buyer } from './buyer.ts'

const pauseMs = 100
const eventsPerPage = 200
/** How often the feed is read again if it differs from what a follower has. */
const maxReadings = 3

const eventPage = z.object({
  data: z.array(
    z.object({
      event_id: z.string(),
      type: z.string(),
      data: z.object({
        client_order_number: z.string().nullish(),
        warehouse_code: z.string().nullish(),
        version: z.int().nullish(),
      }),
    }),
  ),
  has_more: z.boolean(),
})

export type FeedEvent = z.infer<typeof eventPage>['data'][number]

/** A client that asks for the events after its last one, for ever. */
export class EventFollower {
  readonly #client: Pick<Buyer, 'read'>
  readonly events: FeedEvent[] = []

  constructor(client: Pick<Buyer, 'read'>) {
    this.#client = client
  }

  async followUntil(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      if (!(await this.#readNextPage())) await wait(pauseMs)
    }
  }

  /** Reads the events to the last one. */
  async catchUp(): Promise<void> {
    while (await this.#readNextPage());
  }

  async #readNextPage(): Promise<boolean> {
    const last = this.events.at(-1)
    const since = last === undefined ? '' : `&since=${last.event_id}`
    const page = eventPage.parse(await this.#client.read(`/api/v1/events?page_size=${eventsPerPage}${since}`))
    this.events.push(...page.data)
    return page.has_more
  }
}

/**
 * Reads the feed again from its beginning, and lets the follower read to its end. A hold that expires between the two
 * makes a new event, which the other one reads too, if it misses none.
 */
export async function readFeedAgain(
  client: Pick<Buyer, 'read'>,
  follower: EventFollower,
): Promise<readonly FeedEvent[]> {
  const fresh = new EventFollower(client)
  for (let reading = 0; reading < maxReadings; reading++) {
    await fresh.catchUp()
    await follower.catchUp()
    if (fresh.events.length === follower.events.length) break
    await wait(pauseMs)
  }
  return fresh.events
}
