/** The groups of endpoints in the order of the documentation: tags of OpenAPI and chapters of the reference. */
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
