import { GatewayError } from '../contract/errors.ts'
import type { ListWindow } from '../contract/lists.ts'
import { notFound } from '../contract/not-found.ts'
import type { Gateway } from '../gateway.ts'
import { instant } from '../kernel/clock.ts'
import { sha256 } from '../kernel/crypto.ts'
import type { Db, Tx } from '../store/store.ts'
import type { ChannelRow } from '../store/tables.ts'
import { planNamed } from './plans.ts'
import { accessCounter } from './sessions.ts'

/** Channels and their secrets. Every change moves the counter by which all processes forget their decisions. */
const mostSecrets = 5
const secretBytes = 32

export interface ChannelFields {
  readonly name: string
  readonly plan: string
  readonly warehouse_allowlist: readonly string[]
  readonly customer_code: string | null
  readonly points_per_minute: number | null
  readonly wholesale_enabled: boolean
  readonly dropship_enabled: boolean
  readonly webhooks_enabled: boolean
}

/** The fields to change; what is undefined stays. */
export type ChannelChange = { readonly [Field in keyof ChannelFields]?: ChannelFields[Field] | undefined }

/**
 * Runs a change of permissions and makes every process see it: this one at once, the others within a second. The
 * counter's row comes first, so that it is the lock too: changes are serial, and what one has checked stays true.
 */
export async function changeAccess<T>(gateway: Gateway, change: (tx: Tx) => Promise<T>): Promise<T> {
  const result = await gateway.store.db.transaction().execute(async (tx) => {
    await tx
      .insertInto('counters')
      .values({ name: accessCounter, value: 1 })
      .onConflict((conflict) =>
        conflict.column('name').doUpdateSet((eb) => ({ value: eb('counters.value', '+', 1) })),
      )
      .execute()
    return change(tx)
  })
  gateway.sessions.forget()
  gateway.nudge('access')
  return result
}

/** Makes a channel with a first secret; answers it with the secret, this once. */
export async function createChannel(gateway: Gateway, channel_code: string, fields: ChannelFields) {
  const now = gateway.clock.now()
  const secret = newSecret(gateway)
  return changeAccess(gateway, async (tx) => {
    const taken = await tx
      .selectFrom('channels')
      .select('channel_code')
      .where('channel_code', '=', channel_code)
      .execute()
    if (taken.length > 0) throw invalid('channel_code', ['channel_code_taken', { channel: channel_code }])
    await refuseTakenCustomer(tx, channel_code, fields.customer_code)
    const row = {
      channel_code,
      client_id: gateway.ids.next('cli'),
      ...stored(fields),
      created_at: now,
      updated_at: now,
    }
    await tx
      .insertInto('channels')
      .values({ ...row, deleted_at: null })
      .execute()
    await insertSecret(tx, channel_code, secret, now)
    return { ...(await readChannel(tx, channel_code)), client_secret: secret.value }
  })
}

/** Changes the given fields; live tokens follow. Those of accounts end with the channel's customer. */
export async function changeChannel(gateway: Gateway, channel_code: string, fields: ChannelChange) {
  const now = gateway.clock.now()
  return changeAccess(gateway, async (tx) => {
    const before = await readChannel(tx, channel_code)
    const { customer_code = before.customer_code } = fields
    if (customer_code !== before.customer_code) {
      await refuseTakenCustomer(tx, channel_code, customer_code)
      await tx
        .updateTable('sessions')
        .set({ revoked_at: now, revoked_reason: 'customer_changed' })
        .where('channel_code', '=', channel_code)
        .where('grant_type', '=', 'password')
        .where('revoked_at', 'is', null)
        .execute()
    }
    await tx
      .updateTable('channels')
      .set({ ...stored(fields), updated_at: now })
      .where('channel_code', '=', channel_code)
      .execute()
    return readChannel(tx, channel_code)
  })
}

/** Ends a channel: its secrets and tokens no longer work, its code stays taken. Twice is the same. */
export async function deleteChannel(gateway: Gateway, channel_code: string) {
  const now = gateway.clock.now()
  return changeAccess(gateway, async (tx) => {
    await readChannel(tx, channel_code, true)
    await tx
      .updateTable('channels')
      .set({ deleted_at: now, updated_at: now })
      .where('channel_code', '=', channel_code)
      .where('deleted_at', 'is', null)
      .execute()
    await tx
      .updateTable('channel_secrets')
      .set({ revoked_at: now })
      .where('channel_code', '=', channel_code)
      .where('revoked_at', 'is', null)
      .execute()
    return readChannel(tx, channel_code, true)
  })
}

/** Issues a further secret; answers it this once. */
export async function createSecret(gateway: Gateway, channel_code: string) {
  const now = gateway.clock.now()
  const secret = newSecret(gateway)
  return changeAccess(gateway, async (tx) => {
    const channel = await readChannel(tx, channel_code)
    if (channel.secrets.length >= mostSecrets) {
      throw new GatewayError('VALIDATION_FAILED', {
        param: 'channel_code',
        reason: 'invalid_state',
        say: ['secrets_too_many', { most: mostSecrets }],
      })
    }
    await insertSecret(tx, channel_code, secret, now)
    return {
      secret_id: secret.secret_id,
      client_id: channel.client_id,
      client_secret: secret.value,
      created_at: instant(now),
    }
  })
}

/** Ends a secret and the tokens that were issued for it. */
export async function deleteSecret(gateway: Gateway, channel_code: string, secret_id: string) {
  const now = gateway.clock.now()
  return changeAccess(gateway, async (tx) => {
    await readChannel(tx, channel_code)
    const ended = await tx
      .updateTable('channel_secrets')
      .set({ revoked_at: now })
      .where('channel_code', '=', channel_code)
      .where('secret_id', '=', secret_id)
      .executeTakeFirst()
    if (ended.numUpdatedRows === 0n) throw notFound('secret', secret_id)
    await tx
      .updateTable('sessions')
      .set({ revoked_at: now, revoked_reason: 'secret_deleted' })
      .where('secret_id', '=', secret_id)
      .where('revoked_at', 'is', null)
      .execute()
    return readChannel(tx, channel_code)
  })
}

/** Live channels, newest first; one row more than the page. */
export async function listChannels(gateway: Gateway, window: ListWindow) {
  const rows = await gateway.store.db
    .selectFrom('channels')
    .selectAll()
    .where('deleted_at', 'is', null)
    .where('created_at', '>=', window.from)
    .where('created_at', '<', window.to)
    .orderBy('created_at', 'desc')
    .orderBy('channel_code')
    .offset(window.offset)
    .limit(window.pageSize + 1)
    .execute()
  return Promise.all(rows.map((row) => shown(gateway.store.db, row)))
}

/** One channel as the administrator sees it. Throws `NOT_FOUND`. */
export async function readChannel(db: Db | Tx, channel_code: string, deletedToo = false) {
  const row = await db
    .selectFrom('channels')
    .selectAll()
    .where('channel_code', '=', channel_code)
    .executeTakeFirst()
  if (!row || (row.deleted_at !== null && !deletedToo)) throw notFound('channel', channel_code)
  return shown(db, row)
}

async function shown(db: Db | Tx, row: ChannelRow) {
  const secrets = await db
    .selectFrom('channel_secrets')
    .select(['secret_id', 'created_at'])
    .where('channel_code', '=', row.channel_code)
    .where('revoked_at', 'is', null)
    .orderBy('created_at')
    .execute()
  const allowlist: string[] = JSON.parse(row.warehouse_allowlist)
  return {
    channel_code: row.channel_code,
    client_id: row.client_id,
    name: row.name,
    plan: planNamed(row.plan),
    warehouse_allowlist: allowlist,
    customer_code: row.customer_code,
    points_per_minute: row.points_per_minute,
    wholesale_enabled: row.wholesale_enabled === 1,
    dropship_enabled: row.dropship_enabled === 1,
    webhooks_enabled: row.webhooks_enabled === 1,
    secrets: secrets.map(({ secret_id, created_at }) => ({ secret_id, created_at: instant(created_at) })),
    created_at: instant(row.created_at),
    updated_at: instant(row.updated_at),
    deleted: row.deleted_at !== null,
  }
}

function stored(
  fields: ChannelFields,
): Omit<ChannelRow, 'channel_code' | 'client_id' | 'created_at' | 'updated_at' | 'deleted_at'>
function stored(fields: ChannelChange): Partial<ChannelRow>
function stored(fields: ChannelChange): Partial<ChannelRow> {
  const { warehouse_allowlist, wholesale_enabled, dropship_enabled, webhooks_enabled, ...same } = fields
  return {
    ...(Object.fromEntries(
      Object.entries(same).filter(([, value]) => value !== undefined),
    ) satisfies Partial<ChannelRow>),
    ...(warehouse_allowlist === undefined
      ? {}
      : { warehouse_allowlist: JSON.stringify(warehouse_allowlist) }),
    ...(wholesale_enabled === undefined ? {} : { wholesale_enabled: Number(wholesale_enabled) }),
    ...(dropship_enabled === undefined ? {} : { dropship_enabled: Number(dropship_enabled) }),
    ...(webhooks_enabled === undefined ? {} : { webhooks_enabled: Number(webhooks_enabled) }),
  }
}

async function refuseTakenCustomer(tx: Tx, channel_code: string, customer: string | null): Promise<void> {
  if (customer === null) return
  const other = await tx
    .selectFrom('channels')
    .select('channel_code')
    .where('customer_code', '=', customer)
    .where('deleted_at', 'is', null)
    .where('channel_code', '!=', channel_code)
    .executeTakeFirst()
  if (other) throw invalid('customer_code', ['customer_taken', { customer, channel: other.channel_code }])
}

interface NewSecret {
  readonly secret_id: string
  readonly value: string
}

function newSecret(gateway: Gateway): NewSecret {
  return { secret_id: gateway.ids.next('sec'), value: gateway.ids.bytes(secretBytes).toString('base64url') }
}

/** 256 random bits need no slow hash (OWASP ASVS 6.5.2). */
async function insertSecret(tx: Tx, channel_code: string, secret: NewSecret, now: number): Promise<void> {
  await tx
    .insertInto('channel_secrets')
    .values({
      secret_id: secret.secret_id,
      channel_code,
      secret_hash: sha256(secret.value).toString('hex'),
      created_at: now,
      revoked_at: null,
    })
    .execute()
}

function invalid(param: string, say: NonNullable<GatewayError['facts']['say']>): GatewayError {
  return new GatewayError('VALIDATION_FAILED', { param, reason: 'invalid_field', say })
}

/** Makes a channel and its credentials exactly so: the sandbox's, which are written down for a newcomer. */
export async function ensureChannel(
  gateway: Gateway,
  channel: { channel_code: string; client_id: string; client_secret: string } & ChannelFields,
): Promise<void> {
  const { channel_code, client_id, client_secret, ...fields } = channel
  const now = gateway.clock.now()
  const secret_id = `sec_of_${channel_code}`
  const row = {
    channel_code,
    client_id,
    ...stored(fields),
    created_at: now,
    updated_at: now,
    deleted_at: null,
  }
  const secret = {
    secret_id,
    channel_code,
    secret_hash: sha256(client_secret).toString('hex'),
    created_at: now,
  }
  await changeAccess(gateway, async (tx) => {
    await tx
      .insertInto('channels')
      .values(row)
      .onConflict((conflict) => conflict.column('channel_code').doNothing())
      .execute()
    await tx.updateTable('channels').set({ client_id }).where('channel_code', '=', channel_code).execute()
    await tx
      .insertInto('channel_secrets')
      .values({ ...secret, revoked_at: null })
      .onConflict((conflict) => conflict.column('secret_id').doUpdateSet({ secret_hash: secret.secret_hash }))
      .execute()
  })
}
