import type { operations, paths } from './generated/contract.ts'

/**
 * A client with the types that openapi-typescript generates from the contract. It is compiled and never run. If a
 * change of the contract breaks its compilation, it would also break the clients of users.
 */

/** The body of an operation's successful response. */
type Result<Id extends keyof operations> = operations[Id] extends {
  responses: { 200: { content: { 'application/json': infer Body } } }
}
  ? Body
  : never
type Query<Id extends keyof operations> = NonNullable<operations[Id]['parameters']['query']>
type Body<Id extends keyof operations> = operations[Id] extends {
  requestBody?: { content: { 'application/json': infer Sent } }
}
  ? Sent
  : never

async function get<Id extends keyof operations>(path: keyof paths, query: Query<Id>): Promise<Result<Id>> {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
  const response = await fetch(`${path}?${search}`)
  return response.json()
}

/** Numeric and boolean query parameters are typed as number and boolean, not as string. */
const page: Query<'dropship.list'> = { page: 1, page_size: 50, include_previews: true, status: 'pending' }

const order: Body<'dropship.submit'> = {
  sku: 'LIN-0042-BLK-M',
  quantity: 2,
  client_order_number: 'WEB-1001',
  recipient: {
    name: 'Alex Lee',
    phone: '+61 2 5550 1234',
    address: '1 Example Street',
    city: 'Sydney',
    country_code: 'AU',
  },
}

export async function listOrderNumbers(): Promise<string[]> {
  const { data, has_more } = await get<'dropship.list'>('/api/v1/dropship-orders', page)
  const shown: boolean = has_more
  return shown ? data.map(({ client_order_number }) => client_order_number) : [order.client_order_number]
}

export async function readChanges(since: number): Promise<{ next: number; skus: string[] }> {
  const { data, version, needs_full_sync } = await get<'stock.changes'>(
    '/api/v1/warehouses/{warehouse_code}/stock/changes',
    { since },
  )
  const next: number = needs_full_sync ? 0 : version
  return { next, skus: data.map(({ sku }) => sku) }
}

/** The types must include the headers of a 304 response, which has no body. */
export type Unchanged = operations['stock.list']['responses'][304]['headers']['ETag']
