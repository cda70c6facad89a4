import { answerFrom } from '../contract/answer.ts'
import type { Answer, Keyed } from '../contract/call.ts'
import type { Reply } from '../contract/endpoint.ts'
import { errorTable, GatewayError } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'
import type { Db, Tx } from '../store/store.ts'
import type { IdempotencyRow } from '../store/tables.ts'

/** What is kept of idempotency keys: a day from the end of their request, the answer sealed. */
const keptMs = 24 * 60 * 60 * 1000

/** A document that a key made or changed. */
export interface Resource {
  readonly type: string
  readonly id: string
}

/** Notes that the key is taken by a write that is about to be sent, in the commit of its intent. */
export function openKey(gateway: Gateway, keyed: Keyed, resource: Resource) {
  const ending = { state: 'in_doubt', http_status: null, answer_sealed: null, resource } as const
  return putting(gateway, gateway.store.db, keyed, ending)
}

/** Keeps the answer of a call in the commit of what it tells. Without a key there is nothing to keep. */
export async function keepAnswer(
  gateway: Gateway,
  tx: Tx,
  keyed: Keyed | undefined,
  reply: Reply<unknown>,
  status: number,
  resource: Resource,
): Promise<void> {
  if (!keyed) return
  await keep(gateway, tx, keyed, answerFrom(reply, status), resource)
  keyed.isKept = true
}

/** The same for a write that is settled later: the key is known by its scope. */
export async function keepSettled(
  gateway: Gateway,
  tx: Tx,
  scope: string,
  reply: Reply<unknown>,
  status: number,
): Promise<void> {
  const answer = answerFrom(reply, status)
  await tx
    .updateTable('idempotency_keys')
    .set({
      state: 'completed',
      http_status: answer.status,
      answer_sealed: sealed(gateway, scope, answer),
      expires_at: gateway.clock.now() + keptMs,
    })
    .where('scope', '=', scope)
    .execute()
}

/** Frees a key whose write is known not to have happened. */
export async function freeKey(gateway: Gateway, tx: Tx, scope: string, httpStatus: number): Promise<void> {
  await tx
    .updateTable('idempotency_keys')
    .set({
      state: 'failed',
      http_status: httpStatus,
      resource_type: null,
      resource_id: null,
      expires_at: gateway.clock.now() + keptMs,
    })
    .where('scope', '=', scope)
    .where('state', '=', 'in_doubt')
    .execute()
}

/** Keeps an answer as it is. */
export async function keep(
  gateway: Gateway,
  db: Db | Tx,
  keyed: Keyed,
  answer: Answer,
  resource?: Resource,
): Promise<void> {
  const answer_sealed = sealed(gateway, keyed.scope, answer)
  const ending = { state: 'completed', http_status: answer.status, answer_sealed, resource } as const
  await putting(gateway, db, keyed, ending).execute()
}

/** A failure that says that nothing was done is told to whoever asks for the key; it may come again with any body. */
export async function keepFailure(gateway: Gateway, keyed: Keyed, error: unknown): Promise<void> {
  if (!(error instanceof GatewayError)) return
  const http_status = error.facts.status ?? errorTable[error.code].status
  const row = await rowOf(gateway.store.db, keyed.scope)
  if (http_status >= 500 || row?.state === 'in_doubt') return
  const ending = { state: 'failed', http_status, answer_sealed: null } as const
  await putting(gateway, gateway.store.db, keyed, ending).execute()
}

interface Ending {
  readonly state: 'completed' | 'in_doubt' | 'failed'
  readonly http_status: number | null
  readonly answer_sealed: string | null
  readonly resource?: Resource | undefined
}

function putting(gateway: Gateway, db: Db | Tx, keyed: Keyed, { resource, ...ending }: Ending) {
  const { isKept: _isKept, ...same } = keyed
  const now = gateway.clock.now()
  const row: IdempotencyRow = {
    ...same,
    ...ending,
    created_at: now,
    expires_at: now + keptMs,
    resource_type: resource?.type ?? null,
    resource_id: resource?.id ?? null,
  }
  const { created_at: _created, ...later } = row
  return db
    .insertInto('idempotency_keys')
    .values(row)
    .onConflict((conflict) => conflict.column('scope').doUpdateSet(later))
}

export function rowOf(db: Db, scope: string): Promise<IdempotencyRow | undefined> {
  return db.selectFrom('idempotency_keys').selectAll().where('scope', '=', scope).executeTakeFirst()
}

function sealed(gateway: Gateway, scope: string, { status, headers, body }: Answer): string {
  return gateway.secrets.seal(JSON.stringify({ status, headers, body }), purposeOf(scope))
}

/** The answer that was kept. */
export function unsealed(gateway: Gateway, { scope, answer_sealed }: IdempotencyRow): Answer {
  const { status, headers, body }: Answer = JSON.parse(
    gateway.secrets.unseal(answer_sealed ?? '', purposeOf(scope)),
  )
  return { status, headers, body }
}

function purposeOf(scope: string): string {
  return `idempotency answer ${scope}`
}
