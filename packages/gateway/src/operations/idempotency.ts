import { UnknownOutcome } from '@trade-gateway/connector'
import type { Answer, Call, Keyed } from '../contract/call.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import { GatewayError } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'
import { sha256 } from '../kernel/crypto.ts'
import { canonicalJson } from '../kernel/json.ts'
import { type AnyWrite, intentOfKey } from './intent.ts'
import { keep, keepFailure, rowOf, unsealed } from './keys.ts'
import { settle } from './settle.ts'

/**
 * One execution per key. The key's scope is channel, account, method, path and key; what was asked is compared by
 * the hash of the parsed input, so that spaces and the order of keys do not matter. A session lock of the database
 * owns a running request: it dies with the process, and a retry then finishes the work. Only successes are kept,
 * sealed, for a day from their end, in the commit of what they tell, and replayed byte by byte. A definite failure
 * frees the key. A write of unknown outcome keeps it: a retry looks the write up, and never sends it again before the
 * ERP is known not to have it.
 */
const inProgressRetrySeconds = 1
const awayRetrySeconds = 2

/** Runs `work` under the call's key; without a key, just runs it. */
export async function idempotent(
  gateway: Gateway,
  endpoint: Endpoint,
  call: Call,
  writes: readonly AnyWrite[],
  work: () => Promise<Answer>,
): Promise<{ answer: Answer; replayed: boolean }> {
  const [key] = call.header('idempotency-key')
  if (key === undefined) return { answer: await work(), replayed: false }
  const keyed = keyedCall(endpoint, call, key)
  const done = await gateway.store.withLock(lockOf(keyed.scope), 0, async () => {
    const answer = await ended(gateway, keyed, writes)
    if (answer) return { answer: { ...answer, headers: [...answer.headers, ...replayed] }, replayed: true }
    call.key = keyed
    return { answer: await worked(gateway, keyed, work), replayed: false }
  })
  if (!done) throw inProgress(inProgressRetrySeconds)
  return done
}

const replayed = ['Idempotent-Replayed', 'true']

/** `isInDoubt`: nobody works on it any more, and the ERP is asked what became of it. */
export function inProgress(retryAfter: number, isInDoubt = false): GatewayError {
  return new GatewayError('IDEMPOTENCY_IN_PROGRESS', {
    retryAfter,
    ...(isInDoubt ? { say: ['key_in_doubt'] as const } : {}),
  })
}

/** The name of the session lock that a running request holds. */
export function lockOf(scope: string): string {
  return `idempotency ${scope}`
}

function keyedCall(endpoint: Endpoint, call: Call, key: string): Keyed {
  const owner = call.caller ? `${call.caller.channel_code} ${call.caller.account?.account_id ?? ''}` : 'admin'
  return {
    scope: sha256(JSON.stringify([owner, endpoint.method, call.path, key])).toString('hex'),
    fingerprint: sha256(canonicalJson(call.input)).toString('hex'),
    channel_code: call.caller?.channel_code ?? '',
    method: endpoint.method,
    path: call.path,
    idempotency_key: key,
    isKept: false,
  }
}

/** The answer of an earlier request with this key: kept, or just settled. Undefined where the work is to be done. */
async function ended(
  gateway: Gateway,
  { scope, fingerprint }: Keyed,
  writes: readonly AnyWrite[],
): Promise<Answer | undefined> {
  const row = await rowOf(gateway.store.db, scope)
  if (!row || row.state === 'failed') return undefined
  const isOver = row.state === 'completed' && row.expires_at <= gateway.clock.now()
  if (isOver) return undefined
  if (row.fingerprint !== fingerprint) throw new GatewayError('IDEMPOTENCY_MISMATCH')
  if (row.state === 'completed') return unsealed(gateway, row)
  const intent = await intentOfKey(gateway.store.db, scope)
  if (!intent) return settledMeanwhile(gateway, scope)
  const settled = await settle(gateway, writes, intent).catch((error: unknown) => {
    // The ERP cannot even be asked: nobody is any wiser.
    if (!(error instanceof UnknownOutcome)) throw error
    return { outcome: 'unsure' as const, retryAfter: awayRetrySeconds }
  })
  if (settled.outcome === 'unsure') throw inProgress(settled.retryAfter, true)
  return settledMeanwhile(gateway, scope)
}

async function settledMeanwhile(gateway: Gateway, scope: string): Promise<Answer | undefined> {
  const row = await rowOf(gateway.store.db, scope)
  return row?.state === 'completed' ? unsealed(gateway, row) : undefined
}

async function worked(gateway: Gateway, keyed: Keyed, work: () => Promise<Answer>): Promise<Answer> {
  const answer = await work().catch(async (error: unknown) => {
    await keepFailure(gateway, keyed, error)
    throw error
  })
  if (answer.status < 300 && !keyed.isKept) await keep(gateway, gateway.store.db, keyed, answer)
  return answer
}
