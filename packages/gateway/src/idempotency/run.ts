/**
 * Executes a request once per idempotency key. A key's scope is channel, account, method, decoded path and key. Requests
 * are compared by the hash of the parsed input, so that spaces and the order of members do not matter.
 *
 * A running request holds a session lock of the database. The lock ends with the process, and a retry then finishes the
 * work. A call that lost its lock stores nothing under its key. While the work runs, no other request waits for the lock:
 * it is told that the work is in progress. Once the work is done, all wait for their turn to replay the response.
 *
 * Only successful responses are stored: encrypted, for a day, in the transaction of the change that they report. A
 * retry gets the same bytes. A definite failure frees the key. A write of unknown outcome keeps the key, and a retry
 * looks the write up. The gateway never sends the write again before it knows that the ERP does not have it.
 */

import { UnknownOutcome } from '@trade-gateway/connector'
import type { ApiResponse, Call, Keyed } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import { decodePath } from '../contract/paths.ts'
import type { Endpoint } from '../endpoint.ts'
import type { Gateway } from '../gateway.ts'
import { sha256 } from '../kernel/crypto.ts'
import { toCanonicalJson } from '../kernel/json.ts'
import type { KeyOutcome } from '../metrics/metrics.ts'
import { CommitUnanswered, findStorageTrouble } from '../store/trouble.ts'
import { type AnyWrite, findIntentOfKey } from '../writes/intent.ts'
import {
  findKeyRow,
  isKeyFree,
  storeCommittedResponse,
  storeFailure,
  toInProgressError,
} from '../writes/keys.ts'
import { isSameRequest, unsealResponse } from '../writes/sealed-keys.ts'
import { settle } from '../writes/settle.ts'

const awayRetrySeconds = 2
/** The longest wait for the lock of a key whose work is done. Its holders keep it for milliseconds. */
const maxReplayWaitMs = 5_000

interface KeyedRequest {
  readonly gateway: Gateway
  readonly endpoint: Endpoint
  readonly call: Call
  /** Every kind of write, so that an open write can be settled. */
  readonly writes: readonly AnyWrite[]
}

/** Runs `work` at most once for the call's key, or simply runs it if the call has no key. */
export async function runOnce(
  { gateway, endpoint, call, writes }: KeyedRequest,
  work: () => Promise<ApiResponse>,
): Promise<{ response: ApiResponse; replayed: boolean }> {
  const [key] = call.header('idempotency-key')
  if (key === undefined) return { response: await work(), replayed: false }
  const keyed = toKeyedCall(endpoint, call, key)
  const authorization = call.header('authorization')
  gateway.memory.load.rememberKey({ authorization, method: call.method, path: keyed.path, key })
  const runWithin = (waitMs: number) =>
    gateway.store.withLock(toKeyLockName(keyed.scope), waitMs, async (lost) => {
      const response = await findEarlierResponse(gateway, keyed, writes)
      if (!response) count(gateway, 'first')
      if (response)
        return {
          response: { ...response, headers: [...response.headers, ...replayedHeader] },
          replayed: true,
        }
      call.key = { ...keyed, lost, isKept: false }
      return { response: await runAndStoreResponse(gateway, call.key, work), replayed: false }
    })
  const done =
    (await runWithin(0)) ??
    ((await isCompleted(gateway, keyed)) ? await runWithin(maxReplayWaitMs) : undefined)
  if (done) return done
  count(gateway, 'in_progress')
  throw toInProgressError()
}

/**
 * Whether the work of a key is done. Who holds its lock then replays the response too, or publishes what the work changed:
 * a response that was sent before would be ahead of the stock.
 */
async function isCompleted({ store, clock }: Gateway, { scope }: KeyedCall): Promise<boolean> {
  const row = await findKeyRow(store.db, scope)
  return row?.state === 'completed' && !isKeyFree(row, clock.now())
}

function count({ memory }: Gateway, outcome: KeyOutcome) {
  memory.metrics.keys.inc({ outcome })
}

const replayedHeader = ['Idempotent-Replayed', 'true']

/** A keyed call whose lock is not held yet. */
type KeyedCall = Omit<Keyed, 'lost' | 'isKept'>

/** Builds the name of the session lock that a running request holds. */
export function toKeyLockName(scope: string): string {
  return `idempotency ${scope}`
}

function toKeyedCall(endpoint: Endpoint, call: Call, key: string): KeyedCall {
  const owner = call.caller ? `${call.caller.channel_code} ${call.caller.account?.account_id ?? ''}` : 'admin'
  const path = decodePath(call.path)
  return {
    scope: sha256(JSON.stringify([owner, endpoint.method, path, key])).toString('hex'),
    fingerprint: sha256(toCanonicalJson(call.input)).toString('hex'),
    channel_code: call.caller?.channel_code ?? '',
    method: endpoint.method,
    path,
    idempotency_key: key,
  }
}

/**
 * Finds the response of an earlier request with this key. If the outcome of its write is unknown, settles the write
 * first. Returns undefined if the work must be done.
 */
async function findEarlierResponse(
  gateway: Gateway,
  { scope, fingerprint }: KeyedCall,
  writes: readonly AnyWrite[],
): Promise<ApiResponse | undefined> {
  const row = await findKeyRow(gateway.store.db, scope)
  if (!row || isKeyFree(row, gateway.clock.now())) return undefined
  if (!isSameRequest(gateway, row, fingerprint)) {
    count(gateway, 'mismatch')
    throw new GatewayError('IDEMPOTENCY_MISMATCH')
  }
  if (row.state === 'completed') {
    count(gateway, 'replayed')
    return unsealResponse(gateway, row)
  }
  const intent = await findIntentOfKey(gateway.store.db, scope)
  if (!intent) return findSettledResponse(gateway, scope)
  const settled = await settle(gateway, writes, intent).catch((error: unknown) => {
    // The ERP does not respond, so the outcome stays unknown.
    if (!(error instanceof UnknownOutcome)) throw error
    return { outcome: 'unsure' as const, retryAfter: awayRetrySeconds }
  })
  if (settled.outcome === 'unsure') {
    count(gateway, 'in_progress')
    throw toInProgressError(settled.retryAfter, true)
  }
  count(gateway, 'reconciled')
  return findSettledResponse(gateway, scope)
}

async function findSettledResponse(gateway: Gateway, scope: string): Promise<ApiResponse | undefined> {
  const row = await findKeyRow(gateway.store.db, scope)
  return row?.state === 'completed' ? unsealResponse(gateway, row) : undefined
}

async function runAndStoreResponse(
  gateway: Gateway,
  keyed: Keyed,
  work: () => Promise<ApiResponse>,
): Promise<ApiResponse> {
  const response = await work().catch(async (error: unknown) => {
    await storeFailure(gateway, keyed, error)
    throw error
  })
  if (response.status >= 300 || keyed.isKept) return response
  await storeCommittedResponse(gateway, keyed, response).catch((error: unknown) => {
    // The work is done, even though its response cannot be stored.
    throw findStorageTrouble(error) ? new CommitUnanswered(error) : error
  })
  return response
}
