/** What the gateway and its peers have in common: how the stock of one warehouse is read from them. */
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { type HttpExchange, sendRequest } from '../send-request.ts'

/** The number of rows of a page. */
export const pageRows = 100

/**
 * A page of rows in the order of their SKUs, numbered from 1, or the row of one SKU. A system with cursors is asked for a
 * page by the cursor of the page before if `byCursor` is set.
 */
export type Read = { readonly page: number; readonly byCursor?: true } | { readonly sku: string }

export interface Quantities {
  readonly sku: string
  readonly onHand: number
  readonly available: number
}

/** What the gateway and both peers know of a SKU. The price is for retail, in units of the currency. */
export interface StockRow extends Quantities {
  readonly product_code: string
  readonly price: number
  readonly currency: string
}

/** A request as it is sent for a read. */
export interface ReadRequest {
  readonly url: string
  readonly method?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export interface System<Row extends Quantities = Quantities> {
  readonly name: string
  /** The id of its process. */
  readonly pid: number
  toRequest(read: Read): ReadRequest
  parseRows(response: HttpExchange): readonly Row[]
}

/** A system whose rows are those of the gateway, or only their quantities. */
export type Peer =
  | { readonly content: 'rows'; readonly system: System<StockRow> }
  | { readonly content: 'quantities'; readonly system: System }

const graphqlErrors = Buffer.from('{"errors":')
const maxShownCharacters = 300

/** Sends a request and checks that it succeeded, without parsing the body. */
export async function sendRead(name: string, { url, ...options }: ReadRequest): Promise<HttpExchange> {
  const response = await sendRequest(url, options)
  const { status, body } = response
  // GraphQL reports errors with status 200.
  if (status === 200 && !body.subarray(0, graphqlErrors.length).equals(graphqlErrors)) return response
  throw new Error(`${name} returned HTTP ${status}: ${body.toString().slice(0, maxShownCharacters)}`)
}

/** Reads rows from a system. */
export async function readRows<Row extends Quantities>(
  system: System<Row>,
  read: Read,
): Promise<readonly Row[]> {
  return system.parseRows(await sendRead(system.name, system.toRequest(read)))
}

/** Reads pages until one is not full. */
export async function readAllRows<Row extends Quantities>(system: System<Row>): Promise<Row[]> {
  const rows: Row[] = []
  for (let page = 1; ; page++) {
    const found = await readRows(system, { page })
    rows.push(...found)
    if (found.length < pageRows) return rows
  }
}

/** Throws if a peer does not return the same as the gateway for each page and for single SKUs. */
export async function requireSameRows({ content, system }: Peer, rows: readonly StockRow[]): Promise<void> {
  const expected = content === 'rows' ? rows : rows.map(keepQuantities)
  const samples = expected.filter((_, at) => at % pageRows === 0)
  const theirs = [await readAllRows(system), await readEach(system, samples)]
  if (!isDeepStrictEqual([expected, samples], theirs))
    throw new Error(`The gateway and ${system.name} do not return the same ${content}.`)
}

function keepQuantities({ sku, onHand, available }: StockRow): Quantities {
  return { sku, onHand, available }
}

/** Reads single SKUs. */
async function readEach(system: System, rows: readonly Pick<Quantities, 'sku'>[]): Promise<Quantities[]> {
  const found: Quantities[] = []
  for (const { sku } of rows) found.push(...(await readRows(system, { sku })))
  return found
}

/** Parses the JSON of a response. */
export function parseBody<T>(schema: z.ZodType<T>, { body }: Pick<HttpExchange, 'body'>): T {
  return schema.parse(JSON.parse(body.toString()))
}

/** The schema of an object with an id. */
export const withId = z.object({ id: z.string() })
