/**
 * Channels and their secrets. Every change increments a counter in the database. When a process sees a new number, it
 * checks all tokens again.
 */

import { type Acting, recordChange } from '../audit/audit.ts'
import { GatewayError } from '../contract/errors.ts'
import type { ListQuery } from '../contract/lists.ts'
import { toNotFoundError } from '../contract/not-found.ts'
import type { Gateway } from '../gateway.ts'
import { toPlan } from '../identity/plans.ts'
import { accessCounter } from '../identity/sessions.ts'
import { formatInstant } from '../kernel/clock.ts'
import { sha256 } from '../kernel/crypto.ts'
import { readListPage } from '../lists/stored.ts'
import type { Db, Tx } from '../store/store.ts'
import type { ChannelRow } from '../store/tables.ts'
import { storeOperatorsResponse } from '../writes/keys.ts'
import { buildRevokeTokensUpdate } from './end-tokens.ts'

/** The largest number of secrets that a channel may have at a time. */
const maxSecrets = 5
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

/** The fields to change; undefined fields stay as they are. */
export type ChannelChange = {
  readonly [Field in keyof ChannelFields]?: ChannelFields[Field] | undefined
} & {
  /** A paused channel's tokens are refused, it gets no new ones, and its webhooks wait. */
  readonly paused?: boolean | undefined
}

interface ChannelEdit {
  readonly fields: ChannelChange
  /** `updated_at` of the channel that the operator saw; undefined changes the channel whatever it is now. */
  readonly expected?: string | undefined
}

/**
 * Changes permissions in a transaction. This process uses the new permissions at once, the others within a second. The
 * first statement increments the counter and thereby locks its row, so these transactions run one after another.
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

/** Creates a channel and its first secret. Only this result contains the secret; the database has its hash. */
export async function createChannel(acting: Acting, channel_code: string, fields: ChannelFields) {
  const { gateway } = acting
  const now = gateway.clock.now()
  const secret = generateSecret(gateway)
  return changeAccess(gateway, async (tx) => {
    const taken = await tx
      .selectFrom('channels')
      .select('channel_code')
      .where('channel_code', '=', channel_code)
      .execute()
    if (taken.length > 0)
      throw toFieldError('channel_code', ['channel_code_taken', { channel: channel_code }])
    await refuseTakenCustomer(tx, channel_code, fields.customer_code)
    const row = {
      channel_code,
      client_id: gateway.ids.next('cli'),
      ...toColumns(fields),
      paused: 0,
      created_at: now,
      updated_at: now,
    }
    await tx
      .insertInto('channels')
      .values({ ...row, deleted_at: null })
      .execute()
    await insertSecret(tx, channel_code, secret, now)
    const after = await readChannel(tx, channel_code)
    const data = { ...after, client_secret: secret.value }
    await storeOperatorsResponse(acting, tx, data)
    await recordChange(acting, tx, { before: null, after, created: channel_code })
    return data
  })
}

/**
 * Changes the given fields. Live tokens use the new values at once. If the customer changes, the tokens of OMS accounts
 * are revoked. Throws `VALIDATION_FAILED` and changes nothing if somebody else has changed the channel since.
 */
export async function changeChannel(acting: Acting, channel_code: string, { fields, expected }: ChannelEdit) {
  const { gateway } = acting
  return changeAccess(gateway, async (tx) => {
    const before = await readChannel(tx, channel_code)
    if (expected !== undefined && Date.parse(expected) !== Date.parse(before.updated_at)) {
      throw toFieldError('expected_updated_at', [
        'channel_changed_since',
        { channel: channel_code, updated_at: before.updated_at },
      ])
    }
    const now = computeUpdateTime(gateway, before.updated_at)
    const { customer_code = before.customer_code } = fields
    const isOfOther = customer_code !== before.customer_code
    if (isOfOther) await refuseTakenCustomer(tx, channel_code, customer_code)
    await tx
      .updateTable('channels')
      .set({ ...toColumns(fields), updated_at: now })
      .where('channel_code', '=', channel_code)
      .execute()
    // After the update, which waits for a sign-in that is storing its token (`insertSession`).
    if (isOfOther) {
      await buildRevokeTokensUpdate(tx, now, 'customer_changed')
        .where('channel_code', '=', channel_code)
        .where('grant_type', '=', 'password')
        .execute()
    }
    const after = await readChannel(tx, channel_code)
    await storeOperatorsResponse(acting, tx, after)
    await recordChange(acting, tx, { before, after })
    return after
  })
}

/**
 * Returns the present time, or a millisecond after the last change if that is later. So no two changes of a channel
 * have the same `updated_at`, by which an operator recognises what somebody else changed.
 */
export function computeUpdateTime({ clock }: Gateway, updated_at: string): number {
  return Math.max(clock.now(), Date.parse(updated_at) + 1)
}

/** Creates another secret of a channel. Only this result contains the secret; the database has its hash. */
export async function createSecret(acting: Acting, channel_code: string) {
  const { gateway } = acting
  const now = gateway.clock.now()
  const secret = generateSecret(gateway)
  return changeAccess(gateway, async (tx) => {
    const channel = await readChannel(tx, channel_code)
    if (channel.secrets.length >= maxSecrets) {
      throw new GatewayError('VALIDATION_FAILED', {
        param: 'channel_code',
        reason: 'invalid_state',
        say: ['secrets_too_many', { most: maxSecrets }],
      })
    }
    await insertSecret(tx, channel_code, secret, now)
    const after = {
      secret_id: secret.secret_id,
      client_id: channel.client_id,
      created_at: formatInstant(now),
    }
    const data = { ...after, client_secret: secret.value }
    await storeOperatorsResponse(acting, tx, data)
    await recordChange(acting, tx, { before: null, after })
    return data
  })
}

/** Revokes a secret and the tokens that were issued for it. */
export async function deleteSecret(acting: Acting, channel_code: string, secret_id: string) {
  const { gateway } = acting
  const now = gateway.clock.now()
  return changeAccess(gateway, async (tx) => {
    const before = await readChannel(tx, channel_code)
    const ended = await tx
      .updateTable('channel_secrets')
      .set({ revoked_at: now })
      .where('channel_code', '=', channel_code)
      .where('secret_id', '=', secret_id)
      .executeTakeFirst()
    if (ended.numUpdatedRows === 0n) throw toNotFoundError('secret', secret_id)
    await buildRevokeTokensUpdate(tx, now, 'secret_deleted').where('secret_id', '=', secret_id).execute()
    const after = await readChannel(tx, channel_code)
    await recordChange(acting, tx, { before, after })
    return after
  })
}

/** Lists the channels that are not deleted, newest first. */
export async function listChannels(gateway: Gateway, asked: ListQuery) {
  const { db } = gateway.store
  const query = db.selectFrom('channels').selectAll().where('deleted_at', 'is', null)
  const list = { query, time: 'created_at', id: 'channel_code', unbounded: true } as const
  const page = await readListPage(gateway, asked, list, (row) => row)
  return { ...page, data: await Promise.all(page.data.map((row) => toChannelJson(db, row))) }
}

/** Reads a channel in the form of the admin API. Throws `NOT_FOUND`. */
export async function readChannel(db: Db | Tx, channel_code: string, deletedToo = false) {
  const row = await db
    .selectFrom('channels')
    .selectAll()
    .where('channel_code', '=', channel_code)
    .executeTakeFirst()
  if (!row || (row.deleted_at !== null && !deletedToo)) throw toNotFoundError('channel', channel_code)
  return toChannelJson(db, row)
}

async function toChannelJson(db: Db | Tx, row: ChannelRow) {
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
    plan: toPlan(row.plan),
    warehouse_allowlist: allowlist,
    customer_code: row.customer_code,
    points_per_minute: row.points_per_minute,
    wholesale_enabled: row.wholesale_enabled === 1,
    dropship_enabled: row.dropship_enabled === 1,
    webhooks_enabled: row.webhooks_enabled === 1,
    paused: row.paused === 1,
    secrets: secrets.map(({ secret_id, created_at }) => ({
      secret_id,
      created_at: formatInstant(created_at),
    })),
    created_at: formatInstant(row.created_at),
    updated_at: formatInstant(row.updated_at),
    deleted: row.deleted_at !== null,
  }
}

function toColumns(
  fields: ChannelFields,
): Omit<ChannelRow, 'channel_code' | 'client_id' | 'paused' | 'created_at' | 'updated_at' | 'deleted_at'>
function toColumns(fields: ChannelChange): Partial<ChannelRow>
function toColumns(fields: ChannelChange): Partial<ChannelRow> {
  const { warehouse_allowlist, wholesale_enabled, dropship_enabled, webhooks_enabled, paused, ...same } =
    fields
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
    ...(paused === undefined ? {} : { paused: Number(paused) }),
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
  if (other)
    throw toFieldError('customer_code', ['customer_taken', { customer, channel: other.channel_code }])
}

interface NewSecret {
  readonly secret_id: string
  readonly value: string
}

/** Generates a secret of a channel. */
export function generateSecret(gateway: Gateway): NewSecret {
  return { secret_id: gateway.ids.next('sec'), value: gateway.ids.bytes(secretBytes).toString('base64url') }
}

/** Inserts the hash of a secret. A secret of 256 random bits does not need a slow hash (OWASP ASVS 6.5.2). */
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

function toFieldError(param: string, say: NonNullable<GatewayError['facts']['say']>): GatewayError {
  return new GatewayError('VALIDATION_FAILED', { param, reason: 'invalid_field', say })
}

/**
 * Creates a channel with the given credentials, or gives them to the existing channel, whose other fields stay as they
 * are. Used for the credentials of the sandbox, which are printed at startup.
 */
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
    ...toColumns(fields),
    paused: 0,
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
