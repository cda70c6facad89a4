/** The parts of the contract in the order of the documentation: tags of OpenAPI, chapters of the reference. */
export const groupIds = [
  'access',
  'stock',
  'products',
  'orders',
  'dropship',
  'reservations',
  'carts',
  'shipments',
  'statements',
  'webhooks',
  'mcp',
  'support',
  'admin',
  'sandbox',
] as const
export type GroupId = (typeof groupIds)[number]

/** By the first word of an endpoint's id. */
const groups: Readonly<Record<string, GroupId>> = {
  auth: 'access',
  me: 'access',
  plan_requests: 'access',
  warehouses: 'stock',
  stock: 'stock',
  products: 'products',
  shipping_methods: 'products',
  addresses: 'products',
  orders: 'orders',
  dropship: 'dropship',
  reservations: 'reservations',
  holds: 'reservations',
  carts: 'carts',
  shipments: 'shipments',
  balances: 'statements',
  transactions: 'statements',
  bills: 'statements',
  refunds: 'statements',
  freight_bills: 'statements',
  'freight-bills': 'statements',
  statements: 'statements',
  webhooks: 'webhooks',
  webhook_endpoints: 'webhooks',
  webhook_deliveries: 'webhooks',
  events: 'webhooks',
  deliveries: 'webhooks',
  mcp: 'mcp',
  idempotency_keys: 'support',
  requests: 'support',
  errors: 'support',
  admin: 'admin',
  sandbox: 'sandbox',
}

/** The part of the contract that an endpoint belongs to. Throws where nobody has said. */
export function groupOf(endpointId: string): GroupId {
  const [first = ''] = endpointId.split('.')
  const group = groups[first]
  if (!group) throw new Error(`${endpointId} belongs to no group of contract/groups.ts.`)
  return group
}
