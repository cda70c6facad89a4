/**
 * Reads the events of a channel in order, one page after the other, and never gives up because of a cut connection or a
 * laptop that slept. Only its own waiting counts towards `giveUpMs`: a suspended process has not waited.
 */

import type { CallOptions, Row, TradeGateway } from '@trade-gateway/sdk'
import type { EventType } from '../event-types.ts'
import { CommandError, exitCodes } from '../failures.ts'
import { wait } from '../wait.ts'

export type FeedEvent = Row<'events.list'>

export interface FeedSetting {
  readonly client: TradeGateway
  readonly signal: AbortSignal
  /** The only type that the gateway lists; all types without it. */
  readonly type: EventType | undefined
  /** How long to wait after everything was read. */
  readonly intervalMs: number
  /** How long the gateway may be away. */
  readonly giveUpMs: number
  /** Says that the gateway is away, or back. */
  readonly report: (text: string) => unknown
}

/** The most events of a page. */
const pageSize = 200
const attemptTimeoutMs = 15_000
const firstDelayMs = 500
const maxDelayMs = 15_000
/** How far the clocks of two processes of the gateway may differ. */
const clockSkewMs = 2_000
/** How long after it happened an event may come into the list, at most. */
const maxListingMs = 60_000

interface EventPage {
  readonly data: readonly FeedEvent[]
  readonly has_more: boolean
}

/** Reads one page of events, for as long as it takes. Throws if the gateway is away too long, or refuses. */
export function readPage(since: string | null, setting: FeedSetting): Promise<EventPage> {
  const { client, type } = setting
  const filters = {
    page_size: pageSize,
    ...(since === null ? {} : { since }),
    ...(type === undefined ? {} : { type }),
  }
  return waitOut(setting, async (options) => {
    const { value } = await client.events.list(filters, options).pages().next()
    return value ?? { data: [], has_more: false }
  }).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'NOT_FOUND')
      throw describeLostPlace(since, error)
    throw error
  })
}

/** Asks the gateway until it responds. Throws if it is away too long, or refuses. */
export async function waitOut<T>(
  { signal, giveUpMs, report }: Pick<FeedSetting, 'signal' | 'giveUpMs' | 'report'>,
  ask: (options: CallOptions) => Promise<T>,
): Promise<T> {
  const { GatewayError } = await import('@trade-gateway/sdk')
  let waitedMs = 0
  for (let failures = 0; ; failures++) {
    try {
      const found = await ask({ signal, attemptTimeoutMs, deadlineMs: attemptTimeoutMs, maxRetries: 0 })
      if (failures > 0) await report('Connected again.')
      return found
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof GatewayError) || !error.retryable) throw error
      if (waitedMs >= giveUpMs) throw error
      if (failures === 0) await report(`${error.message} Trying again for ${Math.round(giveUpMs / 1000)} s …`)
      const wantedMs = Math.max(Math.min(firstDelayMs * 2 ** failures, maxDelayMs), error.retryAfterMs ?? 0)
      const delayMs = Math.min(wantedMs, giveUpMs - waitedMs)
      await wait(delayMs, signal)
      waitedMs += delayMs
    }
  }
}

function describeLostPlace(since: string | null, cause: unknown): CommandError {
  return new CommandError(
    `The gateway does not keep the event ${since} any more, so events after it may be missing: order.created is kept for 30 days, stock.changed for 7.`,
    {
      exitCode: exitCodes.denied,
      hint: 'Continue with the oldest event that is kept: --since oldest. Then read your orders and stock again.',
      cause,
    },
  )
}

/** Yields the events after a place, in order, until the signal ends it. */
export async function* followEvents(
  since: string | null,
  setting: FeedSetting,
): AsyncGenerator<FeedEvent, void, undefined> {
  let place = since
  while (!setting.signal.aborted) {
    const { data, has_more } = await readPage(place, setting)
    for (const event of data) {
      yield event
      place = event.event_id
    }
    if (!has_more) await wait(setting.intervalMs, setting.signal)
  }
}

/** Finds the place of the last event before now. */
export async function findPresentPlace(setting: FeedSetting): Promise<string | null> {
  const { client } = setting
  // Events have the time of this clock. The header `Date` has that of the gateway's machine, which may be another one.
  const { value } = await waitOut(setting, (options) =>
    client.webhookEndpoints.list({ page_size: 1 }, options).pages().next(),
  )
  return findPlace(Date.parse(value?.as_of ?? '') - clockSkewMs, setting)
}

/**
 * Finds the place of the last event before a time. The list can be read only from its oldest event on, and nearly all
 * events are of stock. So an order from shortly before that time is found first, after which few events are left. It is
 * older by `maxListingMs`, so that no event since that time is listed before it.
 */
export async function findPlace(before: number, setting: FeedSetting): Promise<string | null> {
  if (setting.type === 'order.created') return readUntil(before, null, setting)
  const order = await readUntil(before - maxListingMs, null, { ...setting, type: 'order.created' })
  return readUntil(before, order, setting)
}

/** Reads the events after a place. Returns the place of the last one before a time. */
async function readUntil(before: number, since: string | null, setting: FeedSetting): Promise<string | null> {
  let place = since
  for (;;) {
    const { data, has_more } = await readPage(place, setting)
    for (const { event_id, occurred_at } of data) {
      if (Date.parse(occurred_at) >= before) return place
      place = event_id
    }
    if (!has_more) return place
  }
}
