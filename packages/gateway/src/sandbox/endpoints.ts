import { z } from 'zod'
import type { Call, Caller } from '../contract/call.ts'
import { dataOf, endpoint } from '../contract/endpoint.ts'
import { GatewayError } from '../contract/errors.ts'
import { code } from '../contract/fields.ts'
import { notFound } from '../contract/not-found.ts'
import { sentence } from '../contract/texts/texts.ts'
import type { Gateway } from '../gateway.ts'
import { bearerOf, requireAdmin } from '../http/stages/authenticate.ts'
import { bringForward } from '../webhooks/bring-forward.ts'
import { steer } from './steer.ts'

/**
 * What the built-in ERP can be told: sell out, change a price, ship, intercept, fail, let time pass. The controls need
 * the admin token; ship and intercept of an own document also work with its channel's bearer. In front of any other
 * ERP they do not exist.
 */
const told = dataOf(z.record(z.string(), z.unknown()))
const probability = z.number().min(0).max(1).optional()
const delay = z.int().min(0).max(600_000).optional()
const common = {
  method: 'POST',
  since: '1.4.0',
  errors: ['NOT_FOUND', 'UPSTREAM_REJECTED', 'UPSTREAM_ERROR'],
  params: {},
  query: {},
  result: told,
} as const

export const sandboxFaults = endpoint({
  ...common,
  id: 'sandbox.faults',
  path: '/sandbox/faults',
  access: 'admin',
  body: z.object({
    seed: z.int().min(0).optional(),
    before: probability,
    after_commit: probability,
    cut: probability,
    hang: probability,
    hang_after_commit: probability,
    slow: probability,
    duplicate: probability,
    late: probability,
    slow_ms: delay,
    late_ms: delay,
    lookup_lag_ms: delay,
  }),
  async handle({ gateway, input }) {
    return { data: await steer(gateway, 'faults', input) }
  },
})

export const sandboxClock = endpoint({
  ...common,
  id: 'sandbox.clock',
  path: '/sandbox/clock',
  access: 'admin',
  body: z.object({ advance_seconds: z.number().min(0).max(34_560_000) }),
  example: { advance_seconds: 0 },
  async handle({ gateway, input }) {
    const data = await steer(gateway, 'clock', input)
    await bringForward(gateway, Math.round(input.advance_seconds * 1000))
    return { data }
  },
})

export const sandboxStock = endpoint({
  ...common,
  id: 'sandbox.stock',
  path: '/sandbox/stock',
  access: 'admin',
  body: z.object({ warehouse_code: code(), sku: code(), on_hand: z.int().min(0) }),
  example: { warehouse_code: 'AUSYD1', sku: 'SBX-LAST-1', on_hand: 1 },
  async handle({ gateway, input }) {
    return { data: await steer(gateway, 'stock', input) }
  },
})

export const sandboxPrice = endpoint({
  ...common,
  id: 'sandbox.price',
  path: '/sandbox/price',
  access: 'admin',
  body: z.object({
    sku: code(),
    price_wholesale: z.int().min(1).meta({ description: 'In minor units' }),
    warehouse_code: code().optional(),
  }),
  example: { sku: 'SBX-LAST-1', price_wholesale: 1_000 },
  async handle({ gateway, input }) {
    return { data: await steer(gateway, 'price', input) }
  },
})

export const sandboxShip = endpoint({
  ...common,
  id: 'sandbox.ship',
  path: '/sandbox/ship',
  access: 'public',
  errors: [
    ...common.errors,
    'AUTH_MISSING_TOKEN',
    'AUTH_INVALID_TOKEN',
    'AUTH_EXPIRED',
    'ADMIN_UNAUTHORIZED',
    'ADMIN_DISABLED',
    'OWNERSHIP_DENIED',
    'AUTHZ_UNAVAILABLE',
  ],
  body: z.object({ order_id: z.string().optional(), dropship_order_id: z.string().optional() }),
  example: { order_id: 'ord_00000000000000000000000000' },
  async handle({ gateway, call, input }) {
    const id = input.order_id ?? input.dropship_order_id
    if (id === undefined) {
      throw new GatewayError('VALIDATION_FAILED', {
        param: 'order_id',
        reason: 'invalid_field',
        say: ['field_invalid', { param: 'order_id', problem: sentence(call.language, 'field_needed') }],
      })
    }
    return { data: await steer(gateway, 'ship', { reference: await ownReference(gateway, call, id) }) }
  },
})

export const sandboxIntercept = endpoint({
  ...common,
  id: 'sandbox.intercept',
  path: '/sandbox/intercept',
  access: 'public',
  errors: sandboxShip.errors,
  body: z.object({ dropship_order_id: z.string() }),
  example: { dropship_order_id: 'dso_00000000000000000000000000' },
  async handle({ gateway, call, input }) {
    const reference = await ownReference(gateway, call, input.dropship_order_id)
    return { data: await steer(gateway, 'intercept', { reference }) }
  },
})

/** The ERP's name of a document, for the operator or for the channel that owns it. */
async function ownReference(gateway: Gateway, call: Call, id: string): Promise<string> {
  const caller = await whoCalls(gateway, call)
  if (!/^[a-z]+_[0-9a-z]{26}$/.test(id)) throw notFound('order', id)
  const { db } = gateway.store
  const order = await db
    .selectFrom('orders')
    .select(['reference', 'channel_code'])
    .where('order_id', '=', id)
    .executeTakeFirst()
  const row =
    order ??
    (await db
      .selectFrom('dropship_orders')
      .select(['reference', 'channel_code'])
      .where('dropship_order_id', '=', id)
      .executeTakeFirst())
  if (!row) throw notFound('order', id)
  if (caller && caller.channel_code !== row.channel_code) throw new GatewayError('OWNERSHIP_DENIED')
  return row.reference
}

/** The caller of a bearer token; undefined for the operator. */
async function whoCalls(gateway: Gateway, call: Call): Promise<Caller | undefined> {
  if (call.header('x-admin-token').length === 0) return gateway.sessions.authenticate(bearerOf(call))
  requireAdmin(gateway, call)
  return undefined
}
