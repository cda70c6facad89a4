/**
 * Who still uses the legacy gateway: calls with its tokens, and calls of its paths (`/Api/*`), per channel, path and
 * day. Calls are counted in memory, and a worker adds the counts to the database, so that no request waits for its
 * count.
 *
 * A legacy path is refused before the token is checked, and a legacy token that has ended before its signature is. Such
 * a token waits in memory until the worker verifies it, because an unverified token could blame any channel. Calls of
 * legacy paths without a valid token are counted without a channel.
 */

import { readBearerToken } from '../access/identify.ts'
import type { ApiResponse, Call } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'
import { formatInstant } from '../kernel/clock.ts'
import type { LegacyUseBuffer } from '../memory.ts'
import type { LegacyUseRow } from '../store/tables.ts'

const dayMs = 24 * 60 * 60_000
/** How long the counts are kept. */
const keptMs = 31 * dayMs
/** The largest number of different channels, paths and days that wait in memory. */
const maxWaiting = 5_000
/** The largest number of unknown paths of a caller and a day; further ones are counted as `otherPaths`. */
const maxUnknownPaths = 50
/** The largest number of tokens that wait to be verified. Calls with further ones are counted without a channel. */
const maxWaitingTokens = 500
const maxTokensPerTurn = 100
/** The largest number of paths that wait with one token. */
const maxPathsOfToken = 100
/** The largest number of callers in a list, and of paths of each. */
const maxCallers = 500
/** The largest number of channels that are counted. */
const maxCountedChannels = 50
const maxPaths = 50

const otherPaths = '/api/*'
/** The path under which calls with a legacy token are counted. */
const tokenCalls = ''

/** Counts a finished call if it used a legacy path or a legacy token, also one that has ended. */
export function countLegacyUse(gateway: Gateway, call: Call, { code }: ApiResponse): void {
  const { legacyPath, caller } = call
  const buffer = gateway.memory.legacyUse
  const at = gateway.clock.now()
  if (caller?.token.legacy) {
    addCalls(buffer, { channel_code: caller.channel_code, path: tokenCalls, at, calls: 1 })
  }
  if (legacyPath === undefined) {
    const ended = code === 'AUTH_INVALID_TOKEN' ? findEndedToken(gateway, call) : undefined
    if (ended !== undefined) keepForVerification(buffer, ended, { path: tokenCalls, at, calls: 1 })
    return
  }
  const use = { path: legacyPath.path, isKnown: legacyPath.isKnown, at, calls: 1 }
  const token = findToken(call)
  if (token === undefined || !keepForVerification(buffer, token, use)) {
    addCalls(buffer, { ...use, channel_code: '' })
  }
}

interface PathUse {
  readonly path: string
  /** Whether the legacy gateway is known to have had the path. Only unknown paths have a bound of their own. */
  readonly isKnown?: boolean
  readonly at: number
  readonly calls: number
}

function findToken(call: Call): string | undefined {
  try {
    return readBearerToken(call)
  } catch {
    return undefined
  }
}

function findEndedToken({ sessions }: Gateway, call: Call): string | undefined {
  const token = findToken(call)
  try {
    return token !== undefined && sessions.isEndedLegacy(token) ? token : undefined
  } catch {
    return undefined
  }
}

/** Keeps the calls of a token until a turn verifies it. Returns false if too many wait. */
function keepForVerification({ tokens }: LegacyUseBuffer, token: string, use: PathUse): boolean {
  if (!tokens.has(token) && tokens.size >= maxWaitingTokens) return false
  const uses = tokens.get(token) ?? new Map<string, PathUse>()
  const known = uses.get(use.path)
  if (!known && uses.size >= maxPathsOfToken) return false
  uses.set(use.path, { ...use, calls: (known?.calls ?? 0) + use.calls })
  tokens.set(token, uses)
  return true
}

function addCalls(
  buffer: LegacyUseBuffer,
  { channel_code, at, calls, ...named }: PathUse & UserOfLegacy,
): void {
  const day = Math.floor(at / dayMs) * dayMs
  const path =
    named.isKnown === false ? boundPath(buffer, { channel_code, day, path: named.path }) : named.path
  const key = `${day} ${channel_code} ${path}`
  const known = buffer.rows.get(key)
  if (!known && buffer.rows.size >= maxWaiting) return
  const last_used_at = Math.max(at, known?.last_used_at ?? 0)
  buffer.rows.set(key, { day, channel_code, path, calls: (known?.calls ?? 0) + calls, last_used_at })
}

/** Who called; `channel_code` is empty if nobody knows. */
type UserOfLegacy = Pick<LegacyUseRow, 'channel_code'>

/** Returns an unknown path, or `otherPaths` if its caller has named too many of them today. */
function boundPath({ unknownPaths }: LegacyUseBuffer, { channel_code, day, path }: Named): string {
  if (unknownPaths.day !== day) {
    unknownPaths.day = day
    unknownPaths.byCaller.clear()
  }
  const paths = unknownPaths.byCaller.get(channel_code) ?? new Set<string>()
  unknownPaths.byCaller.set(channel_code, paths)
  if (!paths.has(path) && paths.size >= maxUnknownPaths) return otherPaths
  paths.add(path)
  return path
}

type Named = Pick<LegacyUseRow, 'channel_code' | 'day' | 'path'>

const columns = ['day', 'channel_code', 'path', 'calls', 'last_used_at'] as const

/** Adds the waiting counts to those in the database; one turn of the worker. Returns true if more tokens wait. */
export async function storeLegacyUse(gateway: Gateway): Promise<boolean> {
  const { legacyUse: buffer } = gateway.memory
  // Two concurrent turns would verify and store the same counts.
  buffer.turn = buffer.turn.catch(() => {}).then(() => storeWaiting(gateway, buffer))
  await buffer.turn
  return buffer.tokens.size > 0
}

async function storeWaiting(gateway: Gateway, buffer: LegacyUseBuffer): Promise<void> {
  await verifyTokens(gateway, buffer)
  // Sorted, so that processes that store the same rows never deadlock.
  const waiting = [...buffer.rows].toSorted(([one], [other]) => (one < other ? -1 : 1))
  const { store } = gateway
  for (let from = 0; from < waiting.length; from += store.batchRows) {
    const batch = waiting.slice(from, from + store.batchRows)
    for (const [key] of batch) buffer.rows.delete(key)
    try {
      await insertRows(
        gateway,
        batch.map(([, row]) => row),
      )
    } catch (error) {
      for (const [, row] of batch) addCalls(buffer, { ...row, at: row.last_used_at })
      throw error
    }
  }
}

/** Counts the calls that waited for the channels of their tokens. A forged token is no use of a legacy token. */
async function verifyTokens({ sessions }: Gateway, buffer: LegacyUseBuffer): Promise<void> {
  for (const [token, uses] of [...buffer.tokens].slice(0, maxTokensPerTurn)) {
    const channel_code = await findChannel(sessions, token)
    buffer.tokens.delete(token)
    for (const use of uses.values()) {
      if (channel_code !== '' || use.path !== tokenCalls) addCalls(buffer, { ...use, channel_code })
    }
  }
}

/** Finds the channel of a token; empty if the token is not valid. Throws if the database does not respond. */
async function findChannel(sessions: Gateway['sessions'], token: string): Promise<string> {
  try {
    return await sessions.findChannelCode(token)
  } catch (error) {
    if (error instanceof GatewayError && error.code !== 'AUTHZ_UNAVAILABLE') return ''
    throw error
  }
}

async function insertRows({ store }: Gateway, rows: readonly LegacyUseRow[]): Promise<void> {
  await store.db
    .insertInto('legacy_use')
    .columns(columns)
    .expression(store.bulk.rows('legacy_use', columns, rows))
    .onConflict((conflict) =>
      conflict.columns(['day', 'channel_code', 'path']).doUpdateSet((eb) => ({
        calls: eb('legacy_use.calls', '+', eb.ref('excluded.calls')),
        last_used_at: eb
          .case()
          .when('excluded.last_used_at', '>', eb.ref('legacy_use.last_used_at'))
          .then(eb.ref('excluded.last_used_at'))
          .else(eb.ref('legacy_use.last_used_at'))
          .end(),
      })),
    )
    .execute()
}

/** Deletes the counts of days that are older than their retention. */
export async function deleteOldLegacyUse({ store, clock }: Gateway): Promise<void> {
  await store.db
    .deleteFrom('legacy_use')
    .where('day', '<', clock.now() - keptMs)
    .execute()
}

/**
 * Reads who used the legacy gateway in the last 31 days, the callers with the most calls first. Other processes store
 * their counts within seconds.
 */
export async function readLegacyUse(gateway: Gateway) {
  await storeLegacyUse(gateway)
  const { db, bulk } = gateway.store
  const callers = await db
    .selectFrom('legacy_use')
    .select(({ fn }) => ['channel_code', fn.max('last_used_at').as('last_used_at')])
    .select(({ fn }) => fn.sum<number>('calls').as('calls'))
    .groupBy('channel_code')
    .orderBy('calls', 'desc')
    .orderBy('channel_code')
    .limit(maxCallers)
    .execute()
  const counts = await db
    .selectFrom('legacy_use')
    .select(({ fn }) => ['channel_code', 'path', fn.sum<number>('calls').as('calls')])
    .where('channel_code', 'in', bulk.texts(callers.map(({ channel_code }) => channel_code)))
    .groupBy(['channel_code', 'path'])
    .orderBy('calls', 'desc')
    .orderBy('path')
    .execute()
  const ofCaller = Map.groupBy(counts, ({ channel_code }) => channel_code)
  return {
    until: formatInstant(gateway.config.legacyTokens.until),
    data: callers.map(({ channel_code, last_used_at }) => ({
      channel_code: channel_code === '' ? null : channel_code,
      ...sumUp(ofCaller.get(channel_code) ?? []),
      last_used_at: formatInstant(Number(last_used_at)),
    })),
  }
}

/** Counts the channels that used a legacy token since a time in epoch milliseconds, at most `maxCountedChannels`. */
export async function countLegacyChannels(gateway: Gateway, since: number): Promise<number> {
  await storeLegacyUse(gateway)
  const channels = await gateway.store.db
    .selectFrom('legacy_use')
    .select('channel_code')
    .distinct()
    .where('path', '=', tokenCalls)
    .where('last_used_at', '>=', since)
    .limit(maxCountedChannels)
    .execute()
  return channels.length
}

/** Sums up the counts of one caller, which come with the most calls first. */
function sumUp(counts: readonly { readonly path: string; readonly calls: number }[]) {
  const paths = counts
    .filter(({ path }) => path !== tokenCalls)
    .map(({ path, calls }) => ({ path, calls: Number(calls) }))
  return {
    token_calls: Number(counts.find(({ path }) => path === tokenCalls)?.calls ?? 0),
    path_calls: paths.reduce((sum, { calls }) => sum + calls, 0),
    paths: paths.slice(0, maxPaths),
  }
}
