import type { Caller, Keyed } from '../contract/call.ts'
import { Reply } from '../contract/endpoint.ts'
import { GatewayError } from '../contract/errors.ts'
import type { windowOf } from '../contract/lists.ts'
import type { EventType } from '../events/outbox.ts'
import type { Gateway } from '../gateway.ts'
import { keepAnswer } from '../operations/keys.ts'
import { listPage } from '../operations/list.ts'
import { owned } from '../operations/own.ts'
import { checkWarehouse } from '../operations/warehouses.ts'
import type { Db, Tx } from '../store/store.ts'
import { inboxNamed, inboxPath } from './inbox.ts'
import { makeDue } from './sequence.ts'
import { endpointShown } from './shown.ts'
import { formersAfter, newSecret, sealedSecret } from './sign.ts'
import { flawOfUrl, mostUrlCharacters } from './url.ts'

/** Where a channel wants its events sent. A secret is answered when it is made, and sealed from then on. */
const mostEndpoints = 5
const createdStatus = 201

export interface EndpointFields {
  readonly url: string
  readonly event_types: readonly EventType[]
  readonly description?: string | null | undefined
  readonly warehouse_codes?: readonly string[] | null | undefined
}

/** What is changed of them; what is undefined stays. */
export type EndpointChange = { readonly [Field in keyof EndpointFields]?: EndpointFields[Field] | undefined }

export async function createEndpoint(gateway: Gateway, caller: Caller, fields: EndpointFields, key?: Keyed) {
  checkFields(gateway, caller, fields)
  const { channel_code } = caller
  const endpoint_id = gateway.ids.next('whe')
  const secret = newSecret(gateway)
  const now = gateway.clock.now()
  return gateway.store.db.transaction().execute(async (tx) => {
    await requireRoom(tx, channel_code)
    await tx
      .insertInto('webhook_endpoints')
      .values({
        endpoint_id,
        channel_code,
        url: fields.url,
        event_types: JSON.stringify(fields.event_types),
        description: fields.description ?? null,
        warehouse_codes: JSON.stringify(fields.warehouse_codes ?? []),
        secret_sealed: sealedSecret(gateway, { endpoint_id, channel_code }, secret),
        formers: '[]',
        created_at: now,
        updated_at: now,
        deleted_at: null,
      })
      .execute()
    await tx.insertInto('webhook_queues').values({ endpoint_id, leased_until: 0 }).execute()
    return withSecret(gateway, tx, key, endpoint_id, secret)
  })
}

/** The endpoint with its new secret, kept for the key in the same commit: a retry is answered the same secret. */
async function withSecret(gateway: Gateway, tx: Tx, key: Keyed | undefined, id: string, secret: string) {
  const row = await endpointRow(tx, id)
  if (!row) throw new Error(`The webhook endpoint ${id} is gone.`)
  const data = { ...endpointShown(row, gateway.clock.now()), secret }
  await keepAnswer(gateway, tx, key, new Reply({ data }), createdStatus, { type: 'webhook_endpoint', id })
  return data
}

type Asked = Parameters<typeof windowOf>[0]

export async function listEndpoints(gateway: Gateway, caller: Caller, asked: Asked) {
  const { db } = gateway.store
  const query = db
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('channel_code', '=', caller.channel_code)
    .where('deleted_at', 'is', null)
  const list = { query, time: 'created_at', id: 'endpoint_id', unbounded: true } as const
  const page = await listPage(gateway, asked, list, (row) => row)
  const health = await db
    .selectFrom('webhook_queues')
    .select(['endpoint_id', ...healthColumns])
    .where('endpoint_id', 'in', gateway.store.bulk.texts(page.data.map(({ endpoint_id }) => endpoint_id)))
    .execute()
  const byId = new Map(health.map((row) => [row.endpoint_id, row]))
  const now = gateway.clock.now()
  const data = page.data.map((row) =>
    endpointShown({ ...noHealth, ...byId.get(row.endpoint_id), ...row }, now),
  )
  return { ...page, data }
}

export async function readEndpoint(gateway: Gateway, caller: Caller, id: string) {
  return shownEndpoint(gateway, caller, id)
}

/** Changes the fields that are sent; attempts that begin within a second follow. */
export async function changeEndpoint(gateway: Gateway, caller: Caller, id: string, fields: EndpointChange) {
  await ownEndpoint(gateway, caller, id)
  checkFields(gateway, caller, fields)
  const { url, event_types, description, warehouse_codes } = fields
  await gateway.store.db
    .updateTable('webhook_endpoints')
    .set({
      ...(url === undefined ? {} : { url }),
      ...(event_types === undefined ? {} : { event_types: JSON.stringify(event_types) }),
      ...(description === undefined ? {} : { description }),
      ...(warehouse_codes === undefined ? {} : { warehouse_codes: JSON.stringify(warehouse_codes ?? []) }),
      updated_at: gateway.clock.now(),
    })
    .where('endpoint_id', '=', id)
    .execute()
  return shownEndpoint(gateway, caller, id)
}

/** Ends an endpoint: what it was still to be sent is cancelled. Twice is the same. */
export async function deleteEndpoint(gateway: Gateway, caller: Caller, id: string) {
  const row = await ownEndpoint(gateway, caller, id, true)
  const now = gateway.clock.now()
  if (row.deleted_at === null) {
    await gateway.store.db.transaction().execute(async (tx) => {
      await tx
        .updateTable('webhook_endpoints')
        .set({ deleted_at: now, updated_at: now })
        .where('endpoint_id', '=', id)
        .where('deleted_at', 'is', null)
        .execute()
      await makeDue(gateway, tx, [id])
    })
    gateway.nudge('deliveries')
  }
  return endpointShown(await ownEndpoint(gateway, caller, id, true), now)
}

/** Makes a new secret; the one before signs too for a day, so that a receiver can change over without a gap. */
export async function rotateSecret(gateway: Gateway, caller: Caller, id: string, key?: Keyed) {
  await ownEndpoint(gateway, caller, id)
  const secret = newSecret(gateway)
  const now = gateway.clock.now()
  return gateway.store.db.transaction().execute(async (tx) => {
    // The row is the lock: of two at once, the later one keeps the secret of the earlier one too.
    await tx.updateTable('webhook_endpoints').set({ updated_at: now }).where('endpoint_id', '=', id).execute()
    const row = await ownEndpointIn(tx, caller, id)
    await tx
      .updateTable('webhook_endpoints')
      .set({ secret_sealed: sealedSecret(gateway, row, secret), formers: formersAfter(row, now) })
      .where('endpoint_id', '=', id)
      .execute()
    return withSecret(gateway, tx, key, id, secret)
  })
}

const healthColumns = [
  'webhook_queues.last_success_at',
  'webhook_queues.last_failure_at',
  'webhook_queues.last_failure_status',
] as const
const noHealth = { last_success_at: null, last_failure_at: null, last_failure_status: null }

async function shownEndpoint(gateway: Gateway, caller: Caller, id: string) {
  return endpointShown(await ownEndpoint(gateway, caller, id), gateway.clock.now())
}

/** The caller's endpoint. Throws `NOT_FOUND` and `OWNERSHIP_DENIED`. */
export async function ownEndpoint(
  { store }: Pick<Gateway, 'store'>,
  caller: Caller,
  id: string,
  deletedToo = false,
) {
  return ownEndpointIn(store.db, caller, id, deletedToo)
}

async function ownEndpointIn(db: Db | Tx, caller: Caller, id: string, deletedToo = false) {
  const row = await endpointRow(db, id)
  return owned(
    row && (deletedToo || row.deleted_at === null) ? row : undefined,
    caller,
    'webhook_endpoint',
    id,
  )
}

function endpointRow(db: Db | Tx, id: string) {
  return db
    .selectFrom('webhook_endpoints')
    .innerJoin('webhook_queues', 'webhook_queues.endpoint_id', 'webhook_endpoints.endpoint_id')
    .selectAll('webhook_endpoints')
    .select(healthColumns)
    .where('webhook_endpoints.endpoint_id', '=', id)
    .executeTakeFirst()
}

/** The channel's row is the lock: of two at once, the later one counts the earlier one too. */
async function requireRoom(tx: Tx, channel_code: string): Promise<void> {
  await tx.updateTable('channels').set({ channel_code }).where('channel_code', '=', channel_code).execute()
  const { live } = await tx
    .selectFrom('webhook_endpoints')
    .select((eb) => eb.fn.countAll<number>().as('live'))
    .where('channel_code', '=', channel_code)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (Number(live) < mostEndpoints) return
  throw new GatewayError('VALIDATION_FAILED', {
    reason: 'invalid_state',
    say: ['endpoints_too_many', { most: mostEndpoints }],
    hint: ['hint_endpoints_too_many', { most: mostEndpoints }],
  })
}

function checkFields(gateway: Gateway, caller: Caller, { url, warehouse_codes }: EndpointChange): void {
  const flaw = url === undefined ? undefined : flawOf(gateway, url)
  if (flaw !== undefined) {
    throw new GatewayError('VALIDATION_FAILED', {
      param: 'url',
      reason: 'invalid_field',
      say: [flaw, { most: mostUrlCharacters }],
    })
  }
  for (const [at, code] of (warehouse_codes ?? []).entries()) {
    checkWarehouse(gateway, caller, code, `warehouse_codes[${at}]`)
  }
}

function flawOf(gateway: Gateway, url: string) {
  if (inboxNamed(gateway, url) !== undefined) return undefined
  // Even where any host may be called: who writes this path means an inbox, and no receiver is there.
  return inboxPath(gateway, url) === undefined ? flawOfUrl(url, gateway.config) : 'inbox_name'
}
