/**
 * The controls of the built-in ERP: stock, prices, shipping, interception, faults and the clock. They require the admin
 * token; a channel may also ship and intercept its own documents with its bearer token. With any other ERP the controls
 * return `NOT_FOUND`.
 */

import { z } from 'zod'
import { readBearerToken, requireAdmin } from '../access/identify.ts'
import type { Call, Caller } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import { codeField } from '../contract/fields.ts'
import { toNotFoundError } from '../contract/not-found.ts'
import { formatSentence } from '../contract/texts/texts.ts'
import { endpoint, toDataSchema } from '../endpoint.ts'
import type { Gateway } from '../gateway.ts'
import { bringForward } from '../webhooks/bring-forward.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'
import { controlSandbox } from './steer.ts'

/** The result of a control, as the built-in ERP returns it. */
const controlResult = toDataSchema(z.record(z.string(), z.unknown()))
const probability = z.number().min(0).max(1).optional()
const delay = z.int().min(0).max(600_000).optional()
const common = {
  group: 'sandbox',
  translations: { zh, ko },
  method: 'POST',
  errors: ['NOT_FOUND', 'UPSTREAM_REJECTED', 'UPSTREAM_ERROR'],
  params: {},
  query: {},
  result: controlResult,
} as const

export const sandboxFaults = endpoint({
  ...common,
  id: 'sandbox.faults',
  summary: 'Make the sandbox fail',
  description: 'Sets how often and how the built-in ERP’s writes fail. An empty object ends the failures.',
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
    return { data: await controlSandbox(gateway, 'faults', input) }
  },
})

export const sandboxClock = endpoint({
  ...common,
  id: 'sandbox.clock',
  summary: 'Set the sandbox’s clock forward',
  description:
    'Advances the clock of the built-in ERP: holds expire, and orders are handed over and shipped.',
  path: '/sandbox/clock',
  access: 'admin',
  body: z.object({ advance_seconds: z.number().min(0).max(34_560_000) }),
  example: { advance_seconds: 60 },
  async handle({ gateway, input }) {
    const data = await controlSandbox(gateway, 'clock', input)
    await bringForward(gateway, Math.round(input.advance_seconds * 1000))
    return { data }
  },
})

export const sandboxStock = endpoint({
  ...common,
  id: 'sandbox.stock',
  summary: 'Set the sandbox’s stock',
  description: 'Sets the quantity of a SKU on hand in a warehouse; 0 makes it sold out.',
  path: '/sandbox/stock',
  access: 'admin',
  errors: [...common.errors, 'WAREHOUSE_UNKNOWN'],
  body: z.object({ warehouse_code: codeField(), sku: codeField(), on_hand: z.int().min(0) }),
  example: { warehouse_code: 'AUSYD1', sku: 'SBX-LAST-1', on_hand: 1 },
  async handle({ gateway, input }) {
    return { data: await controlSandbox(gateway, 'stock', input) }
  },
})

export const sandboxPrice = endpoint({
  ...common,
  id: 'sandbox.price',
  summary: 'Change a price in the sandbox',
  description: 'Sets the wholesale list price of a SKU, in minor units.',
  path: '/sandbox/price',
  access: 'admin',
  errors: [...common.errors, 'WAREHOUSE_UNKNOWN'],
  body: z.object({
    sku: codeField(),
    price_wholesale: z.int().min(1).meta({ description: 'In minor units' }),
    warehouse_code: codeField().optional(),
  }),
  example: { sku: 'SBX-LAST-1', price_wholesale: 1_000 },
  async handle({ gateway, input }) {
    return { data: await controlSandbox(gateway, 'price', input) }
  },
})

export const sandboxShip = endpoint({
  ...common,
  id: 'sandbox.ship',
  summary: 'Ship an order in the sandbox',
  description:
    'Ships an order now. Requires the admin token or the bearer token of the channel that owns the order.',
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
    'RATE_LIMITED',
  ],
  body: z.object({ order_id: z.string().optional(), dropship_order_id: z.string().optional() }),
  example: { order_id: 'ord_00000000000000000000000000' },
  async handle({ gateway, call, input }) {
    const id = input.order_id ?? input.dropship_order_id
    if (id === undefined) {
      throw new GatewayError('VALIDATION_FAILED', {
        param: 'order_id',
        reason: 'invalid_field',
        say: ['field_invalid', { param: 'order_id', problem: formatSentence(call.language, 'field_needed') }],
      })
    }
    return {
      data: await controlSandbox(gateway, 'ship', { reference: await findReference(gateway, call, id) }),
    }
  },
})

export const sandboxIntercept = endpoint({
  ...common,
  id: 'sandbox.intercept',
  summary: 'Intercept an order in the sandbox',
  description:
    'Intercepts a drop-ship order on its way. Requires the admin token or the bearer token of the channel that owns the order.',
  path: '/sandbox/intercept',
  access: 'public',
  errors: sandboxShip.errors,
  body: z.object({ dropship_order_id: z.string() }),
  example: { dropship_order_id: 'dso_00000000000000000000000000' },
  async handle({ gateway, call, input }) {
    const reference = await findReference(gateway, call, input.dropship_order_id)
    return { data: await controlSandbox(gateway, 'intercept', { reference }) }
  },
})

/** The endpoints, in the order of the documentation. */
export const endpoints = [
  sandboxFaults,
  sandboxClock,
  sandboxStock,
  sandboxPrice,
  sandboxShip,
  sandboxIntercept,
] as const

/** Finds the reference by which the ERP knows a document, for the operator or for the channel that owns it. */
async function findReference(gateway: Gateway, call: Call, id: string): Promise<string> {
  const caller = await identifyCaller(gateway, call)
  if (!/^[a-z]+_[0-9a-z]{26}$/.test(id)) throw toNotFoundError('order', id)
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
  if (!row) throw toNotFoundError('order', id)
  if (caller && caller.channel_code !== row.channel_code) throw new GatewayError('OWNERSHIP_DENIED')
  return row.reference
}

/** Identifies the caller of the bearer token; undefined for the operator, who sends the admin token. */
async function identifyCaller(gateway: Gateway, call: Call): Promise<Caller | undefined> {
  if (call.header('x-admin-token').length === 0) return gateway.sessions.authenticate(readBearerToken(call))
  await requireAdmin(gateway, call)
  return undefined
}
