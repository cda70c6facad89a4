import type { Answer, Call } from '../contract/call.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import { GatewayError } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'
import { sha256 } from '../kernel/crypto.ts'
import { canonicalJson } from '../kernel/json.ts'

/**
 * One execution per key. The key's scope is channel, account, method, path and key; what was asked is compared by
 * the hash of the parsed input, so that spaces and the order of keys do not matter. A session lock of the database
 * owns a running request: it dies with the process, and a retry then finishes the work. Only successes are kept,
 * sealed, for a day, and replayed byte by byte.
 */
const keptMs = 24 * 60 * 60 * 1000
const inProgressRetrySeconds = 1

/** Runs `work` under the call's key; without a key, just runs it. */
export async function idempotent(
  gateway: Gateway,
  endpoint: Endpoint,
  call: Call,
  work: () => Promise<Answer>,
): Promise<{ answer: Answer; replayed: boolean }> {
  const [key] = call.header('idempotency-key')
  if (key === undefined) return { answer: await work(), replayed: false }
  const owner = call.caller ? `${call.caller.channel_code} ${call.caller.account?.account_id ?? ''}` : 'admin'
  const scope = sha256(JSON.stringify([owner, endpoint.method, call.path, key])).toString('hex')
  const fingerprint = sha256(canonicalJson(call.input)).toString('hex')
  const done = await gateway.store.withLock(`idempotency ${scope}`, 0, async () => {
    const replay = await stored(gateway, scope, fingerprint)
    if (replay) return { answer: replay, replayed: true }
    const answer = await work()
    if (answer.status < 300) {
      const channel_code = call.caller?.channel_code ?? ''
      await keep(
        gateway,
        { scope, fingerprint, channel_code, method: endpoint.method, path: call.path, key },
        answer,
      )
    }
    return { answer, replayed: false }
  })
  if (!done) throw new GatewayError('IDEMPOTENCY_IN_PROGRESS', { retryAfter: inProgressRetrySeconds })
  return done
}

async function stored(gateway: Gateway, scope: string, fingerprint: string): Promise<Answer | undefined> {
  const row = await gateway.store.db
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('scope', '=', scope)
    .where('expires_at', '>', gateway.clock.now())
    .executeTakeFirst()
  if (!row?.answer_sealed) return undefined
  if (row.fingerprint !== fingerprint) throw new GatewayError('IDEMPOTENCY_MISMATCH')
  const { status, headers, body }: Answer = JSON.parse(
    gateway.secrets.unseal(row.answer_sealed, purposeOf(scope)),
  )
  return { status, headers: [...headers, 'Idempotent-Replayed', 'true'], body }
}

async function keep(
  gateway: Gateway,
  of: { scope: string; fingerprint: string; channel_code: string; method: string; path: string; key: string },
  answer: Answer,
): Promise<void> {
  const { key, ...same } = of
  const now = gateway.clock.now()
  const { status, headers, body } = answer
  const row = {
    ...same,
    idempotency_key: key,
    state: 'completed',
    http_status: status,
    answer_sealed: gateway.secrets.seal(JSON.stringify({ status, headers, body }), purposeOf(of.scope)),
    created_at: now,
    expires_at: now + keptMs,
  }
  await gateway.store.db
    .insertInto('idempotency_keys')
    .values(row)
    .onConflict((conflict) => conflict.column('scope').doUpdateSet(row))
    .execute()
}

function purposeOf(scope: string): string {
  return `idempotency answer ${scope}`
}
