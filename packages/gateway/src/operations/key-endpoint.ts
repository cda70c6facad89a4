import { z } from 'zod'
import type { Caller } from '../contract/call.ts'
import { dataOf, endpoint } from '../contract/endpoint.ts'
import { instantField } from '../contract/fields.ts'
import type { Gateway } from '../gateway.ts'
import { instant } from '../kernel/clock.ts'
import type { IdempotencyRow } from '../store/tables.ts'
import { lockOf } from './idempotency.ts'

const states = ['running', 'completed', 'in_doubt', 'failed'] as const
const mostKeys = 100

const keyEntry = z
  .object({
    key: z.string(),
    method: z.string(),
    path: z.string(),
    state: z.enum(states),
    http_status: z.int().nullable(),
    resource: z.object({ type: z.string(), id: z.string() }).nullable(),
    created_at: instantField,
    expires_at: instantField,
  })
  .meta({ id: 'IdempotencyKey' })

export const idempotencyKeysList = endpoint({
  id: 'idempotency_keys.list',
  method: 'GET',
  path: '/api/v1/idempotency-keys',
  since: '1.4.0',
  access: 'bearer',
  cost: 1,
  errors: [],
  params: {},
  query: { key: z.string().regex(/^[\x21-\x7e]{1,255}$/) },
  result: dataOf(z.array(keyEntry)),

  async handle({ gateway, caller, input }) {
    return { data: await keysNamed(gateway, caller, input.key) }
  },
})

/** What became of the requests of this channel under one key: a client whose answer was lost can ask. */
async function keysNamed(gateway: Gateway, { channel_code }: Caller, key: string) {
  const rows = await gateway.store.db
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('channel_code', '=', channel_code)
    .where('idempotency_key', '=', key)
    .orderBy('created_at', 'desc')
    .limit(mostKeys)
    .execute()
  const now = gateway.clock.now()
  const live = rows.filter(({ state, expires_at }) => state === 'in_doubt' || expires_at > now)
  return Promise.all(live.map((row) => shown(gateway, row)))
}

async function shown(gateway: Gateway, row: IdempotencyRow): Promise<z.input<typeof keyEntry>> {
  const { resource_type: type, resource_id: id } = row
  return {
    key: row.idempotency_key,
    method: row.method,
    path: row.path,
    state: await stateOf(gateway, row),
    http_status: row.http_status,
    resource: type === null || id === null ? null : { type, id },
    created_at: instant(row.created_at),
    expires_at: instant(row.expires_at),
  }
}

/** A write that is not over is running while somebody holds its lock, and in doubt when nobody does. */
async function stateOf(gateway: Gateway, row: IdempotencyRow): Promise<(typeof states)[number]> {
  if (row.state === 'in_doubt') {
    const free = await gateway.store.withLock(lockOf(row.scope), 0, async () => true)
    return free ? 'in_doubt' : 'running'
  }
  return row.state === 'failed' ? 'failed' : 'completed'
}
