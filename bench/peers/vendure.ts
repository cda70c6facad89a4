/** Vendure with the same stock as Medusa, in a database of the same PostgreSQL. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { Postgres } from '@trade-gateway/connector-kit/sandbox/postgres'
import { SandboxError, startProgram, waitUntilReady } from '@trade-gateway/connector-kit/sandbox/programs'
import { z } from 'zod'
import type { HttpExchange } from '../send-request.ts'
import {
  type Peer,
  pageRows,
  parseBody,
  type Quantities,
  type Read,
  type StockRow,
  type System,
} from './system.ts'
import { openVendureApi } from './vendure-api.ts'
import { findVendureHome, installVendure, vendureVersion } from './vendure-install.ts'
import { centsPerUnit, seedVendure } from './vendure-seed.ts'

export const vendureNames = { rows: 'Vendure', quantities: 'Vendure, no prices' } as const
const database = 'vendure_trade'
const startWait = { maxMs: 120_000, pollMs: 250 } as const

interface VendureStart {
  readonly postgres: Postgres
  readonly port: number
  readonly work: string
  /** The rows that Vendure is to have. */
  readonly rows: readonly StockRow[]
  readonly report: (line: string) => void
  /** Gets what stops the server as soon as it runs. */
  readonly onStart: (stop: () => Promise<void>) => void
}

/** Installs, fills and starts Vendure. The filled database is kept for the next start. */
export async function startVendure(start: VendureStart): Promise<Peer[]> {
  const { postgres, port, rows, report } = start
  const home = findVendureHome(process.env)
  const script = await installVendure(home, report)
  const kept = join(home, `seed-${await hashSeed(rows)}.dump`)
  const isFilled = existsSync(kept)
  if (isFilled) await postgres.restore(kept, database)
  else await postgres.createDatabase(database)
  report(`starting Vendure on port ${port}`)
  const pid = await startServer(start, script)
  const url = `http://127.0.0.1:${port}/admin-api`
  const api = await openVendureApi(url)
  if (!isFilled) {
    report(`creating ${rows.length} variants in Vendure`)
    await seedVendure(api, rows)
    await postgres.save(`${kept}.part`, database)
    await rename(`${kept}.part`, kept)
  }
  const own = { pid, url, headers: api.headers }
  return [
    { content: 'rows', system: describeVendure({ ...own, name: vendureNames.rows }, wholeRows) },
    { content: 'quantities', system: describeVendure({ ...own, name: vendureNames.quantities }, quantities) },
  ]
}

/** A dump is of one version of Vendure, of the file that fills it, and of the rows. */
async function hashSeed(rows: readonly StockRow[]): Promise<string> {
  const hash = createHash('sha256').update(`${vendureVersion} ${JSON.stringify(rows)}`)
  hash.update(await readFile(join(import.meta.dirname, 'vendure-seed.ts')))
  return hash.digest('hex').slice(0, 12)
}

async function startServer({ postgres, port, work, onStart }: VendureStart, script: string): Promise<number> {
  const log = join(work, 'vendure.log')
  const server = startProgram(process.execPath, [script], {
    cwd: work,
    env: {
      PORT: String(port),
      DATABASE_URL: postgres.toUrl(database),
      NODE_ENV: 'production',
      // Nothing leaves the machine.
      VENDURE_DISABLE_TELEMETRY: 'true',
    },
    log,
  })
  onStart(() => server.stop('SIGTERM'))
  const isHealthy = () =>
    fetch(`http://127.0.0.1:${port}/health`).then(
      ({ ok }) => ok,
      () => false,
    )
  if (await waitUntilReady(server, isHealthy, startWait)) return server.pid
  throw new SandboxError(`Vendure did not start on port ${port}. It wrote:\n${await readFile(log, 'utf8')}`)
}

/** The fields of a variant that are read, and how. */
interface Selection<Row> {
  readonly fields: string
  parse(response: HttpExchange): readonly Row[]
}

const variant = z.object({
  sku: z.string(),
  stockLevels: z.tuple([z.object({ stockOnHand: z.int(), stockAllocated: z.int() })]),
})
const quantityFields = 'sku stockLevels { stockOnHand stockAllocated }'
const quantities: Selection<Quantities> = {
  fields: quantityFields,
  parse: (response) => parseItems(variant, response).map(toQuantities),
}

/** The price is in the smallest unit of the currency. */
const priced = variant.extend({
  product: z.object({ slug: z.string() }),
  price: z.int(),
  currencyCode: z.string(),
})
const wholeRows: Selection<StockRow> = {
  fields: `${quantityFields} product { slug } price currencyCode`,
  parse: (response) =>
    parseItems(priced, response).map((item) => ({
      ...toQuantities(item),
      product_code: item.product.slug,
      price: item.price / centsPerUnit,
      currency: item.currencyCode,
    })),
}

function parseItems<T>(item: z.ZodType<T>, response: HttpExchange): T[] {
  const list = z.object({ data: z.object({ productVariants: z.object({ items: z.array(item) }) }) })
  return parseBody(list, response).data.productVariants.items
}

function toQuantities({ sku, stockLevels: [only] }: z.output<typeof variant>): Quantities {
  return { sku, onHand: only.stockOnHand, available: only.stockOnHand - only.stockAllocated }
}

interface Access extends Pick<System, 'name' | 'pid'> {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

function describeVendure<Row extends Quantities>(
  { name, pid, url, headers }: Access,
  { fields, parse }: Selection<Row>,
): System<Row> {
  // Variables instead of literals, so that Vendure parses and validates each document once.
  const pageQuery = `query ($skip: Int!) {
    productVariants(options: { take: ${pageRows}, skip: $skip, sort: { sku: ASC } }) { items { ${fields} } }
  }`
  const skuQuery = `query ($sku: String!) {
    productVariants(options: { take: 1, filter: { sku: { eq: $sku } } }) { items { ${fields} } }
  }`
  const toQuery = (read: Read) =>
    'sku' in read
      ? { query: skuQuery, variables: { sku: read.sku } }
      : { query: pageQuery, variables: { skip: (read.page - 1) * pageRows } }
  return {
    ...{ name, pid, parseRows: parse },
    toRequest: (read) => ({ url, method: 'POST', headers, body: JSON.stringify(toQuery(read)) }),
  }
}
