/**
 * What readers of the documentation answer to "Was this page helpful?". Only counts are kept, by page, language, day and
 * verdict: nothing tells who answered. An address may answer a few times a minute, and all addresses together many times.
 */

import type { Call } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import type { Language } from '../contract/language.ts'
import type { Gateway } from '../gateway.ts'
import { formatInstant } from '../kernel/clock.ts'

/** `helpful`, or why a page was not. */
export const verdicts = ['helpful', 'unclear', 'incomplete', 'wrong', 'other'] as const
export type Verdict = (typeof verdicts)[number]

export interface Vote {
  /** The path of an existing page. */
  readonly page: string
  readonly language: Language
  readonly verdict: Verdict
}

const dayMs = 24 * 60 * 60_000
const keptMs = 400 * dayMs
const maxVotesPerAddress = 10
const maxVotesOverAll = 120
/** The largest number of pages in a list; there are fewer. */
const maxPages = 500

/** Counts a vote. Throws `RATE_LIMITED` if the address, or all addresses together, voted too often in a minute. */
export async function countVote(gateway: Gateway, { address }: Call, vote: Vote): Promise<void> {
  await limitVotes(gateway, `votes ${address ?? 'unknown'}`, maxVotesPerAddress)
  await limitVotes(gateway, 'votes', maxVotesOverAll)
  const day = toDay(gateway.clock.now())
  await gateway.store.db
    .insertInto('page_votes')
    .values({ ...vote, day, votes: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['page', 'language', 'day', 'verdict'])
        .doUpdateSet(({ eb, ref }) => ({ votes: eb(ref('page_votes.votes'), '+', 1) })),
    )
    .execute()
}

async function limitVotes({ quota, clock }: Gateway, subject: string, limit: number): Promise<void> {
  const { paid, retryAfter } = await quota.addresses.take(subject, 1, limit, clock.monotonic())
  if (!paid) throw new GatewayError('RATE_LIMITED', { retryAfter })
}

/** Lists the pages with votes of the last `days` days, those that were least helpful first. */
export async function listVotes({ store, clock }: Gateway, days: number) {
  const rows = await store.db
    .selectFrom('page_votes')
    .select(({ fn }) => [
      'page',
      'verdict',
      fn.sum<number>('votes').as('votes'),
      fn.max('day').as('last_day'),
    ])
    .where('day', '>', clock.now() - days * dayMs)
    .groupBy(['page', 'verdict'])
    .orderBy('page')
    .limit(maxPages * verdicts.length)
    .execute()
  const pages = [...Map.groupBy(rows, ({ page }) => page)].map(([page, own]) => {
    const count = (verdict: Verdict) => Number(own.find((row) => row.verdict === verdict)?.votes ?? 0)
    const last_day = Math.max(...own.map((row) => Number(row.last_day)))
    return {
      page,
      helpful: count('helpful'),
      unclear: count('unclear'),
      incomplete: count('incomplete'),
      wrong: count('wrong'),
      other: count('other'),
      last_at: formatInstant(last_day),
    }
  })
  const countAgainst = ({ unclear, incomplete, wrong, other }: (typeof pages)[number]) =>
    unclear + incomplete + wrong + other
  return pages.toSorted((one, other) => countAgainst(other) - countAgainst(one))
}

/** Deletes votes that are older than they are kept. */
export async function deleteOldVotes({ store, clock }: Gateway): Promise<void> {
  await store.db
    .deleteFrom('page_votes')
    .where('day', '<', clock.now() - keptMs)
    .execute()
}

function toDay(now: number): number {
  return now - (now % dayMs)
}
