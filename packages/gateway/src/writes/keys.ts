/**
 * Stores idempotency keys for a day after their request ends, with the response sealed. The session lock of a key
 * usually keeps two processes apart. A lock can be lost, so the database decides: a key is inserted and never
 * overwritten. Only a key that failed or expired is replaced. If two processes compete, the second one fails together
 * with its commit.
 */

import { sql } from 'kysely'
import type { Acting } from '../audit/audit.ts'
import type { ApiResponse, Keyed } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import { Reply } from '../contract/reply.ts'
import { toResponse } from '../contract/response.ts'
import type { Gateway } from '../gateway.ts'
import { type Db, runInOrder, type Tx } from '../store/store.ts'
import type { IdempotencyRow } from '../store/tables.ts'
import { isUniqueViolation } from '../store/unique-violation.ts'
import { sealResponse, toFingerprintAtRest, unsealResponse } from './sealed-keys.ts'

const keptMs = 24 * 60 * 60 * 1000

/** A document that a request created or changed. */
export interface Resource {
  readonly type: string
  readonly id: string
}

/**
 * Builds the statements that store the idempotency key of a write that is not finished, for the transaction that
 * commits its intent.
 */
export function buildKeyInsert(gateway: Gateway, keyed: Keyed, resource: Resource) {
  requireOwnKey(keyed)
  const ending = { state: 'in_doubt', http_status: null, answer_sealed: null, resource } as const
  return buildKeyTakeover({ gateway, db: gateway.store.db }, keyed, ending)
}

const inProgressRetrySeconds = 1

/**
 * Creates the error for a key that is in use. If `isInDoubt`, no process works on the request any more, and the gateway
 * asks the ERP for its outcome.
 */
export function toInProgressError(
  retryAfter: number = inProgressRetrySeconds,
  isInDoubt = false,
): GatewayError {
  return new GatewayError('IDEMPOTENCY_IN_PROGRESS', {
    retryAfter,
    ...(isInDoubt ? { say: ['key_in_doubt'] as const } : {}),
  })
}

/**
 * Throws `IDEMPOTENCY_IN_PROGRESS` if the key's lock is lost, because the call may then no longer store anything with
 * the key.
 */
function requireOwnKey({ lost }: Keyed): void {
  if (lost.aborted) throw toInProgressError()
}

/** Whether another process has taken the key. */
export async function isKeyTaken({ store, clock }: Gateway, { scope }: Keyed): Promise<boolean> {
  const row = await findKeyRow(store.db, scope)
  return row !== undefined && !isKeyFree(row, clock.now())
}

/** Whether a key may be used again. */
export function isKeyFree({ state, expires_at }: IdempotencyRow, now: number): boolean {
  return state === 'failed' || (state === 'completed' && expires_at <= now)
}

/** The success of a call, as stored with its key. */
interface KeyedSuccess {
  readonly reply: Reply<unknown>
  readonly status: number
  /** The document, for the list of the channel's keys. */
  readonly resource?: Resource
}

interface KeyInCommit {
  readonly gateway: Gateway
  readonly tx: Tx
  readonly keyed: Keyed | undefined
}

/** The scope of a key, and the transaction in which the key is changed. */
interface ScopeInCommit {
  readonly gateway: Gateway
  readonly tx: Tx
  readonly scope: string
}

/** Stores the response of a call in the commit of the change that it reports. Does nothing for a call without a key. */
export async function storeResponse(
  { gateway, tx, keyed }: KeyInCommit,
  { reply, status, resource }: KeyedSuccess,
): Promise<void> {
  if (!keyed) return
  requireOwnKey(keyed)
  const ending = toCompletedEnding(gateway, keyed, { response: toResponse(reply, status), resource })
  await runInOrder(tx, buildKeyTakeover({ gateway, db: tx }, keyed, ending)).catch((error: unknown) => {
    throw isUniqueViolation(error) ? toInProgressError() : error
  })
  keyed.isKept = true
}

/**
 * Like `storeResponse`, for an operator's call that returns `{data}`. It precedes `recordChange`. A retry of a change that
 * cannot be made twice, or must not be, then gets the first response, whatever ended the process after the commit.
 */
export async function storeOperatorsResponse({ gateway, call }: Acting, tx: Tx, data: object): Promise<void> {
  if (!call?.audit) return
  const { key: keyed, audit } = call
  await storeResponse({ gateway, tx, keyed }, { reply: new Reply({ data }), status: audit.status })
}

/** Like `storeResponse`, for a write that is settled later: only the scope of its key is known. */
export async function storeSettledResponse(
  { gateway, tx, scope }: ScopeInCommit,
  { reply, status }: Omit<KeyedSuccess, 'resource'>,
): Promise<void> {
  const response = toResponse(reply, status)
  await tx
    .updateTable('idempotency_keys')
    .set({
      state: 'completed',
      http_status: response.status,
      answer_sealed: sealResponse(gateway, scope, response),
      expires_at: gateway.clock.now() + keptMs,
    })
    .where('scope', '=', scope)
    .execute()
}

/** Frees the key of a write that the ERP is known not to have performed. */
export async function freeKey({ gateway, tx, scope }: ScopeInCommit, httpStatus: number): Promise<void> {
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

/**
 * Stores the response of work that was already committed in a transaction of its own. If another process has the key by
 * now, nothing is stored.
 */
export async function storeCommittedResponse(
  gateway: Gateway,
  keyed: Keyed,
  response: ApiResponse,
): Promise<void> {
  await storeIfOwn(gateway, keyed, toCompletedEnding(gateway, keyed, { response }))
}

interface Completion {
  readonly response: ApiResponse
  readonly resource?: Resource | undefined
}

function toCompletedEnding(gateway: Gateway, { scope }: Keyed, { response, resource }: Completion): Ending {
  const answer_sealed = sealResponse(gateway, scope, response)
  return { state: 'completed', http_status: response.status, answer_sealed, resource }
}

/**
 * Stores a refusal (a status below 500), after which nothing was done, so that a client can read the key's status. The
 * key can be used again with any body. Does nothing for any other failure.
 */
export async function storeFailure(gateway: Gateway, keyed: Keyed, error: unknown): Promise<void> {
  if (!(error instanceof GatewayError)) return
  const { status: http_status } = error
  if (http_status >= 500) return
  await storeIfOwn(gateway, keyed, { state: 'failed', http_status, answer_sealed: null })
}

/** Stores the outcome with a key, unless an open write or another process has the key. */
async function storeIfOwn(gateway: Gateway, keyed: Keyed, ending: Ending): Promise<void> {
  if (keyed.lost.aborted) return
  const { db, executeAtOnce } = gateway.store
  await executeAtOnce(buildKeyTakeover({ gateway, db }, keyed, ending)).catch((error: unknown) => {
    if (!isUniqueViolation(error)) throw error
  })
}

interface Ending {
  readonly state: 'completed' | 'in_doubt' | 'failed'
  readonly http_status: number | null
  readonly answer_sealed: string | null
  readonly resource?: Resource | undefined
}

/**
 * Builds the statements that replace a failed or expired key. A unique violation of the insert means that another
 * process has the key.
 */
function buildKeyTakeover(
  { gateway, db }: { readonly gateway: Gateway; readonly db: Db | Tx },
  keyed: Keyed,
  { resource, ...ending }: Ending,
) {
  const { isKept: _isKept, lost: _lost, ...same } = keyed
  const now = gateway.clock.now()
  const row: IdempotencyRow = {
    ...same,
    ...ending,
    fingerprint: toFingerprintAtRest(gateway, keyed),
    created_at: now,
    expires_at: now + keptMs,
    resource_type: resource?.type ?? null,
    resource_id: resource?.id ?? null,
  }
  const free = db
    .deleteFrom('idempotency_keys')
    .where('scope', '=', keyed.scope)
    .where(({ eb, and, or }) =>
      or([eb('state', '=', 'failed'), and([eb('state', '=', 'completed'), eb('expires_at', '<=', now)])]),
    )
  return [free, db.insertInto('idempotency_keys').values(row)] as const
}

export function findKeyRow(db: Db, scope: string): Promise<IdempotencyRow | undefined> {
  return db.selectFrom('idempotency_keys').selectAll().where('scope', '=', scope).executeTakeFirst()
}

/** Documents of one type, such as those whose responses are rewritten. */
interface Documents {
  readonly type: string
  readonly ids: readonly string[]
}

/** Rewrites the bodies of the responses that are kept for some documents. */
export async function rewriteStoredResponses(
  { gateway, tx }: Omit<ScopeInCommit, 'scope'>,
  { type, ids }: Documents,
  rewrite: (body: string) => string,
): Promise<void> {
  const rows = await tx
    .selectFrom('idempotency_keys')
    .selectAll()
    // A literal, because the index contains only the documents of one type.
    .where('resource_type', '=', sql.lit(type))
    .where('resource_id', 'in', gateway.store.bulk.texts(ids))
    .where('answer_sealed', 'is not', null)
    .orderBy('scope')
    .execute()
  for (const row of rows) {
    const response = unsealResponse(gateway, row)
    if (typeof response.body !== 'string') continue
    const body = rewrite(response.body)
    if (body === response.body) continue
    await tx
      .updateTable('idempotency_keys')
      .set({ answer_sealed: sealResponse(gateway, row.scope, { ...response, body }) })
      .where('scope', '=', row.scope)
      .where('state', '=', 'completed')
      .execute()
  }
}
