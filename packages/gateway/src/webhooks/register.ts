/** Registers webhook endpoints. A secret appears only in the response that creates it; the database keeps it sealed. */

import type { Caller, Keyed } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import type { ListQuery } from '../contract/lists.ts'
import { Reply } from '../contract/reply.ts'
import { requireOwned } from '../documents/own.ts'
import type { EventType } from '../events/outbox.ts'
import type { Gateway } from '../gateway.ts'
import { formatInstant } from '../kernel/clock.ts'
import { readListPage } from '../lists/stored.ts'
import { requireAllowedWarehouse } from '../stock/warehouses.ts'
import type { Db, Tx } from '../store/store.ts'
import type { WebhookEndpointRow } from '../store/tables.ts'
import { storeResponse } from '../writes/keys.ts'
import { parseInboxName, parseInboxPath } from './inbox.ts'
import { makeQueuesDue } from './sequence.ts'
import { addFormer, createSecret, findRotationPause, maxSigning, sealSecret } from './sign.ts'
import { findUrlFlaw, maxUrlCharacters } from './url.ts'
import { toEndpointJson } from './webhook-json.ts'

/** The largest number of endpoints of a channel. */
const maxEndpoints = 5
const createdStatus = 201

export interface EndpointFields {
  readonly url: string
  readonly event_types: readonly EventType[]
  readonly description?: string | null | undefined
  readonly warehouse_codes?: readonly string[] | null | undefined
}

/** The fields to change; undefined fields stay as they are. */
export type EndpointChange = { readonly [Field in keyof EndpointFields]?: EndpointFields[Field] | undefined }

/** The part of a call that every write of an endpoint needs. */
interface WriteCall {
  readonly gateway: Gateway
  readonly caller: Caller
  readonly key?: Keyed | undefined
}

export async function createEndpoint({ gateway, caller, key }: WriteCall, fields: EndpointFields) {
  checkFields(gateway, caller, fields)
  const { channel_code } = caller
  const endpoint_id = gateway.ids.next('whe')
  const secret = createSecret(gateway)
  const now = gateway.clock.now()
  return gateway.store.db.transaction().execute(async (tx) => {
    await requireBelowEndpointLimit(tx, channel_code)
    await tx
      .insertInto('webhook_endpoints')
      .values({
        endpoint_id,
        channel_code,
        url: fields.url,
        event_types: JSON.stringify(fields.event_types),
        description: fields.description ?? null,
        warehouse_codes: JSON.stringify(fields.warehouse_codes ?? []),
        secret_sealed: sealSecret(gateway, { endpoint_id, channel_code }, secret),
        formers: '[]',
        created_at: now,
        updated_at: now,
        deleted_at: null,
      })
      .execute()
    await tx.insertInto('webhook_queues').values({ endpoint_id, leased_until: 0 }).execute()
    return storeSecretResponse({ gateway, tx, keyed: key }, endpoint_id, secret)
  })
}

/** Stores the response with the idempotency key in the same transaction, so that a retry returns the same secret. */
async function storeSecretResponse(
  context: { readonly gateway: Gateway; readonly tx: Tx; readonly keyed: Keyed | undefined },
  id: string,
  secret: string,
) {
  const { gateway, tx } = context
  const row = await findEndpointRow(tx, id)
  if (!row) throw new Error(`The webhook endpoint ${id} is gone.`)
  const data = { ...toEndpointJson(row, gateway.clock.now()), secret }
  const resource = { type: 'webhook_endpoint', id }
  await storeResponse(context, { reply: new Reply({ data }), status: createdStatus, resource })
  return data
}

export async function listEndpoints(gateway: Gateway, caller: Caller, paging: ListQuery) {
  const { db } = gateway.store
  const query = db
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('channel_code', '=', caller.channel_code)
    .where('deleted_at', 'is', null)
  const list = { query, time: 'created_at', id: 'endpoint_id', unbounded: true } as const
  const page = await readListPage(gateway, paging, list, (row) => row)
  const health = await db
    .selectFrom('webhook_queues')
    .select(['endpoint_id', ...healthColumns])
    .where('endpoint_id', 'in', gateway.store.bulk.texts(page.data.map(({ endpoint_id }) => endpoint_id)))
    .execute()
  const byId = new Map(health.map((row) => [row.endpoint_id, row]))
  const now = gateway.clock.now()
  const data = page.data.map((row) =>
    toEndpointJson({ ...emptyHealth, ...byId.get(row.endpoint_id), ...row }, now),
  )
  return { ...page, data }
}

export async function readEndpoint(gateway: Gateway, caller: Caller, id: string) {
  return toEndpointJson(await requireOwnEndpoint({ db: gateway.store.db, caller }, id), gateway.clock.now())
}

/**
 * Changes the given fields. Attempts use the new values within a second. The response is read before the commit, because
 * a database that falls silent after it must not make a change that was made look refused.
 */
export async function changeEndpoint({ gateway, caller }: WriteCall, id: string, fields: EndpointChange) {
  await requireOwnEndpoint({ db: gateway.store.db, caller }, id)
  checkFields(gateway, caller, fields)
  const { url, event_types, description, warehouse_codes } = fields
  const now = gateway.clock.now()
  return gateway.store.db.transaction().execute(async (tx) => {
    await tx
      .updateTable('webhook_endpoints')
      .set({
        ...(url === undefined ? {} : { url }),
        ...(event_types === undefined ? {} : { event_types: JSON.stringify(event_types) }),
        ...(description === undefined ? {} : { description }),
        ...(warehouse_codes === undefined ? {} : { warehouse_codes: JSON.stringify(warehouse_codes ?? []) }),
        updated_at: now,
      })
      .where('endpoint_id', '=', id)
      .execute()
    return toEndpointJson(await requireOwnEndpoint({ db: tx, caller }, id), now)
  })
}

/** Deletes an endpoint. The dispatcher then cancels its pending deliveries. Idempotent. */
export async function deleteEndpoint(gateway: Gateway, caller: Caller, id: string) {
  const row = await requireOwnEndpoint({ db: gateway.store.db, caller }, id, true)
  const now = gateway.clock.now()
  if (row.deleted_at !== null) return toEndpointJson(row, now)
  const deleted = await gateway.store.db.transaction().execute(async (tx) => {
    await tx
      .updateTable('webhook_endpoints')
      .set({ deleted_at: now, updated_at: now })
      .where('endpoint_id', '=', id)
      .where('deleted_at', 'is', null)
      .execute()
    await makeQueuesDue(gateway, tx, [id])
    return requireOwnEndpoint({ db: tx, caller }, id, true)
  })
  gateway.nudge('deliveries')
  return toEndpointJson(deleted, now)
}

/**
 * Creates a new secret. The former one also signs for a day, so that a receiver can switch without a gap. Throws
 * `VALIDATION_FAILED` while as many secrets sign as there may be.
 */
export async function rotateSecret({ gateway, caller, key }: WriteCall, id: string) {
  await requireOwnEndpoint({ db: gateway.store.db, caller }, id)
  const secret = createSecret(gateway)
  const now = gateway.clock.now()
  return gateway.store.db.transaction().execute(async (tx) => {
    // This update locks the row, so of two concurrent rotations the later one also keeps the earlier one's secret.
    await tx.updateTable('webhook_endpoints').set({ updated_at: now }).where('endpoint_id', '=', id).execute()
    const row = await requireOwnEndpoint({ db: tx, caller }, id)
    requirePlaceForFormer(row, now)
    await tx
      .updateTable('webhook_endpoints')
      .set({ secret_sealed: sealSecret(gateway, row, secret), formers: addFormer(row, now) })
      .where('endpoint_id', '=', id)
      .execute()
    return storeSecretResponse({ gateway, tx, keyed: key }, id, secret)
  })
}

function requirePlaceForFormer(row: Pick<WebhookEndpointRow, 'endpoint_id' | 'formers'>, now: number): void {
  const until = findRotationPause(row, now)
  if (until === undefined) return
  throw new GatewayError('VALIDATION_FAILED', {
    param: 'endpoint_id',
    reason: 'invalid_state',
    say: ['rotations_too_many', { id: row.endpoint_id, most: maxSigning, until: formatInstant(until) }],
  })
}

const healthColumns = [
  'webhook_queues.last_success_at',
  'webhook_queues.last_failure_at',
  'webhook_queues.last_failure_status',
] as const
const emptyHealth = { last_success_at: null, last_failure_at: null, last_failure_status: null }

/** Returns the caller's endpoint. Throws `NOT_FOUND` and `OWNERSHIP_DENIED`. */
export async function requireOwnEndpoint(
  { db, caller }: { readonly db: Db | Tx; readonly caller: Caller },
  id: string,
  includeDeleted = false,
) {
  const row = await findEndpointRow(db, id)
  return requireOwned(
    row && (includeDeleted || row.deleted_at === null) ? row : undefined,
    caller,
    'webhook_endpoint',
    id,
  )
}

export function findEndpointRow(db: Db | Tx, id: string) {
  return db
    .selectFrom('webhook_endpoints')
    .innerJoin('webhook_queues', 'webhook_queues.endpoint_id', 'webhook_endpoints.endpoint_id')
    .selectAll('webhook_endpoints')
    .select(healthColumns)
    .where('webhook_endpoints.endpoint_id', '=', id)
    .executeTakeFirst()
}

/**
 * Throws if the channel has reached its limit of endpoints. The update locks the channel's row, so of two concurrent
 * creations the later one counts the earlier one too.
 */
async function requireBelowEndpointLimit(tx: Tx, channel_code: string): Promise<void> {
  await tx.updateTable('channels').set({ channel_code }).where('channel_code', '=', channel_code).execute()
  const { live } = await tx
    .selectFrom('webhook_endpoints')
    .select((eb) => eb.fn.countAll<number>().as('live'))
    .where('channel_code', '=', channel_code)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (Number(live) < maxEndpoints) return
  throw new GatewayError('VALIDATION_FAILED', {
    reason: 'invalid_state',
    say: ['endpoints_too_many', { most: maxEndpoints }],
    hint: ['hint_endpoints_too_many', { most: maxEndpoints }],
  })
}

function checkFields(gateway: Gateway, caller: Caller, { url, warehouse_codes }: EndpointChange): void {
  const flaw = url === undefined ? undefined : findReceiverFlaw(gateway, url)
  if (flaw !== undefined) {
    throw new GatewayError('VALIDATION_FAILED', {
      param: 'url',
      reason: 'invalid_field',
      say: [flaw, { most: maxUrlCharacters }],
    })
  }
  for (const [at, code] of (warehouse_codes ?? []).entries()) {
    requireAllowedWarehouse(gateway, caller, code, `warehouse_codes[${at}]`)
  }
}

function findReceiverFlaw(gateway: Gateway, url: string) {
  if (parseInboxName(gateway, url) !== undefined) return undefined
  // A URL with this path means an inbox, even if the settings allow calls to any host.
  return parseInboxPath(gateway, url) === undefined ? findUrlFlaw(url, gateway.config) : 'inbox_name'
}
