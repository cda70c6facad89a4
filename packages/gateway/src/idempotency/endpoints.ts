import { z } from 'zod'
import type { Caller } from '../contract/call.ts'
import { instantField } from '../contract/fields.ts'
import { endpoint, toDataSchema } from '../endpoint.ts'
import type { Gateway } from '../gateway.ts'
import { formatInstant } from '../kernel/clock.ts'
import type { IdempotencyRow } from '../store/tables.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'
import { toKeyLockName } from './run.ts'

const translations = { zh, ko }

const states = ['running', 'completed', 'in_doubt', 'failed'] as const
const maxKeys = 100

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
  group: 'support',
  summary: 'Look up an Idempotency-Key',
  description:
    'The state of the channel’s requests with a key: `running`, `completed`, `in_doubt` (the outcome is being looked up) or `failed` (nothing was done). For a client that lost a response. An empty list says only that nothing is stored under this key: the request may still be on its way, so retry with the same key.',
  translations,
  method: 'GET',
  path: '/api/v1/idempotency-keys',
  access: 'bearer',
  cost: 1,
  errors: [],
  params: {},
  query: { key: z.string().regex(/^[\x21-\x7e]{1,255}$/) },
  result: toDataSchema(z.array(keyEntry)),

  async handle({ gateway, caller, input }) {
    return { data: await findKeys(gateway, caller, input.key) }
  },
})

/** The endpoints, in the order of the documentation. */
export const endpoints = [idempotencyKeysList] as const

/** Finds this channel's requests with the given key, so that a client that lost a response can learn the outcome. */
async function findKeys(gateway: Gateway, { channel_code }: Caller, key: string) {
  const rows = await gateway.store.db
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('channel_code', '=', channel_code)
    .where('idempotency_key', '=', key)
    .orderBy('created_at', 'desc')
    .limit(maxKeys)
    .execute()
  const now = gateway.clock.now()
  const live = rows.filter(({ state, expires_at }) => state === 'in_doubt' || expires_at > now)
  return Promise.all(live.map((row) => toKeyJson(gateway, row)))
}

async function toKeyJson(gateway: Gateway, row: IdempotencyRow): Promise<z.input<typeof keyEntry>> {
  const { resource_type: type, resource_id: id } = row
  return {
    key: row.idempotency_key,
    method: row.method,
    path: row.path,
    state: await readKeyState(gateway, row),
    http_status: row.http_status,
    resource: type === null || id === null ? null : { type, id },
    created_at: formatInstant(row.created_at),
    expires_at: formatInstant(row.expires_at),
  }
}

/**
 * Determines the state of a keyed request. An unfinished request is running while a process holds its lock; otherwise
 * its outcome is unknown.
 */
async function readKeyState(gateway: Gateway, row: IdempotencyRow): Promise<(typeof states)[number]> {
  if (row.state === 'in_doubt') {
    const free = await gateway.store.withLock(toKeyLockName(row.scope), 0, async () => true)
    return free ? 'in_doubt' : 'running'
  }
  return row.state === 'failed' ? 'failed' : 'completed'
}
