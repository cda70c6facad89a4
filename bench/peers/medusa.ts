/** Medusa with the stock of one warehouse, and its PostgreSQL, which the other systems use too. */
import { join } from 'node:path'
import type { Postgres } from '@trade-gateway/connector-kit/sandbox/postgres'
import { z } from 'zod'
import { toKeyHeaders, toQueryString } from '../../packages/connector-medusa/src/http.ts'
import { findMedusaHome } from '../../packages/connector-medusa/src/medusa/install.ts'
import { startSandbox } from '../../packages/connector-medusa/src/medusa/sandbox.ts'
import type { Keys } from '../../packages/connector-medusa/src/medusa/seed.ts'
import { admin } from '../../packages/connector-medusa/src/medusa/settings.ts'
import type { HttpExchange } from '../send-request.ts'
import {
  type Peer,
  pageRows,
  parseBody,
  type Quantities,
  type Read,
  type StockRow,
  type System,
  sendRead,
} from './system.ts'

interface MedusaStart {
  readonly port: number
  readonly postgresPort: number
  readonly work: string
  /** The number of styles of four SKUs. */
  readonly styles: number
  readonly report: (line: string) => void
  /** Gets what stops Medusa and PostgreSQL as soon as they run. */
  readonly onStart: (stop: () => Promise<void>) => void
}

export interface StartedMedusa {
  /**
   * Medusa with a secret API key, as its connector has one, and with an administrator's token. With the token also
   * without prices.
   */
  readonly peers: readonly Peer[]
  readonly url: string
  readonly keys: Keys
  readonly postgres: Postgres
}

/** Medusa checks a secret key with scrypt on each request, which takes longer than to read a page. */
export const medusaNames = {
  key: 'Medusa, secret key',
  token: 'Medusa, token',
  quantities: 'Medusa, token, no prices',
} as const

/** Starts Medusa with one warehouse, as its rows would have the levels of each. */
export async function startMedusa(start: MedusaStart): Promise<StartedMedusa> {
  const sandbox = await startSandbox({
    ...start,
    home: findMedusaHome(process.env),
    work: join(start.work, 'medusa'),
    databaseUrl: undefined,
    warehouses: 1,
  })
  start.onStart(sandbox.stop)
  const { url, keys, server, postgres } = sandbox
  if (postgres === undefined) throw new Error('The sandbox has no PostgreSQL.')
  const token = await signIn(url)
  const own = { url, pid: server.pid }
  const [byKey, byToken] = [toKeyHeaders(keys.secretKey), { authorization: `Bearer ${token}` }]
  const peers: Peer[] = [
    { content: 'rows', system: describeMedusa({ ...own, name: medusaNames.key, headers: byKey }, rows) },
    { content: 'rows', system: describeMedusa({ ...own, name: medusaNames.token, headers: byToken }, rows) },
    {
      content: 'quantities',
      system: describeMedusa({ ...own, name: medusaNames.quantities, headers: byToken }, quantities),
    },
  ]
  return { peers, url, keys, postgres }
}

/** A list of Medusa's Admin API, and how its elements are read. */
interface Listing<Row> {
  readonly path: string
  readonly fields: readonly string[]
  parse(response: HttpExchange): readonly Row[]
}

const level = z.object({ stocked_quantity: z.int(), reserved_quantity: z.int() })
const levels = z.tuple([level])

const items = z.object({ inventory_items: z.array(z.object({ sku: z.string(), location_levels: levels })) })
const quantities: Listing<Quantities> = {
  path: '/admin/inventory-items',
  fields: ['sku', 'location_levels.stocked_quantity', 'location_levels.reserved_quantity'],
  parse: (response) =>
    parseBody(items, response).inventory_items.map(({ sku, location_levels: [only] }) => ({
      sku,
      ...toQuantities(only),
    })),
}

const variants = z.object({
  variants: z.array(
    z.object({
      sku: z.string(),
      product: z.object({ handle: z.string() }),
      prices: z.tuple([z.object({ amount: z.number(), currency_code: z.string() })]),
      inventory_items: z.tuple([z.object({ inventory: z.object({ location_levels: levels }) })]),
    }),
  ),
})
const itemLevels = 'inventory_items.inventory.location_levels'
const rows: Listing<StockRow> = {
  path: '/admin/product-variants',
  fields: [
    ...['sku', 'product.handle', 'prices.amount', 'prices.currency_code'],
    ...[`${itemLevels}.stocked_quantity`, `${itemLevels}.reserved_quantity`],
  ],
  parse: (response) =>
    parseBody(variants, response).variants.map(
      ({ sku, product, prices: [price], inventory_items: [{ inventory }] }) => ({
        sku,
        ...toQuantities(inventory.location_levels[0]),
        product_code: product.handle,
        price: price.amount,
        currency: price.currency_code.toUpperCase(),
      }),
    ),
}

function toQuantities({ stocked_quantity, reserved_quantity }: z.output<typeof level>) {
  return { onHand: stocked_quantity, available: stocked_quantity - reserved_quantity }
}

async function signIn(url: string): Promise<string> {
  const response = await sendRead('Medusa', {
    url: `${url}/auth/user/emailpass`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(admin),
  })
  return parseBody(z.object({ token: z.string() }), response).token
}

interface Access extends Pick<System, 'name' | 'pid'> {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

function describeMedusa<Row extends Quantities>(
  { name, pid, url, headers }: Access,
  { path, fields, parse }: Listing<Row>,
): System<Row> {
  const toFilter = (read: Read) =>
    'sku' in read
      ? { sku: read.sku, limit: 1 }
      : { limit: pageRows, offset: (read.page - 1) * pageRows, order: 'sku' }
  return {
    ...{ name, pid, parseRows: parse },
    toRequest: (read) => ({
      url: `${url}${path}${toQueryString({ ...toFilter(read), fields: fields.join(',') })}`,
      headers,
    }),
  }
}
