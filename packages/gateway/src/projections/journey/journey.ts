/**
 * The journey: calls that a buyer's own program makes on a sandbox, at least one of each endpoint, in an order in which
 * each succeeds. The recorded examples and the collections for other people's tools are made from this list.
 */

import { orderSteps } from './order-steps.ts'
import type { Step } from './step.ts'
import { tradeSteps } from './trade-steps.ts'
import { webhookSteps } from './webhook-steps.ts'

const firstSteps: readonly Step[] = [
  {
    endpoint: 'auth.token',
    body: { grant_type: 'password', username: '{{username}}', password: '{{password}}' },
    keep: { access_token: 'access_token' },
  },
  { endpoint: 'me' },
  { endpoint: 'warehouses.list' },
  {
    endpoint: 'stock.list',
    params: { warehouse_code: 'AUSYD1' },
    query: { product_code: 'ACA-0132', page_size: '2' },
  },
  {
    endpoint: 'stock.changes',
    params: { warehouse_code: 'AUSYD1' },
    query: { since: '0', page_size: '2' },
  },
  { endpoint: 'stock.checksum', params: { warehouse_code: 'AUSYD1' } },
  { endpoint: 'products.list', query: { product_code: 'ACA-0132' } },
  { endpoint: 'products.read', params: { product_code: 'ACA-0132' } },
  {
    endpoint: 'shipping_methods.list',
    query: { page_size: '2' },
    keep: { shipping_method_id: 'data.0.shipping_method_id' },
  },
  { endpoint: 'addresses.list', query: { page_size: '1' }, keep: { address_id: 'data.0.address_id' } },
]

const lastSteps: readonly Step[] = [
  { endpoint: 'balances.list', query: { page_size: '2' } },
  { endpoint: 'transactions.list', query: { page_size: '2' } },
  { endpoint: 'bills.list', query: { page_size: '2' } },
  { endpoint: 'refunds.list', query: { page_size: '2' } },
  { endpoint: 'freight_bills.list', query: { page_size: '2' } },
  { endpoint: 'idempotency_keys.list', query: { key: 'order-{{run}}' } },
  {
    endpoint: 'requests.read',
    params: { request_id: 'submit-{{run}}' },
    keep: { points: 'data.requests.0.points' },
    waits: true,
  },
  {
    endpoint: 'plan_requests.create',
    body: { plan: 'trader', reason: 'We no longer send drop-ship orders.' },
  },
  { endpoint: 'plan_requests.list', query: { page_size: '2' } },
  { endpoint: 'errors.list' },
  { endpoint: 'errors.read', params: { code: 'DUPLICATE_SUSPECTED' } },
  { endpoint: 'auth.revoke', body: {} },
]

/** All steps, in their order. */
export const journey: readonly Step[] = [
  ...firstSteps,
  ...webhookSteps.register,
  ...orderSteps,
  ...tradeSteps,
  ...webhookSteps.look,
  ...lastSteps,
]
