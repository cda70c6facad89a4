/** Vendure with the same stock as Medusa, in a database of the same PostgreSQL. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { Postgres } from '@trade-gateway/connector-kit/sandbox/postgres'
import { SandboxError, startProgram, waitUntilReady } from '@trade-gateway/connector-kit/sandbox/programs'
import { z } from 'zod'
import { pageRows, parseBody, type Read, type StockRow, type System } from './system.ts'
import { openVendureApi } from './vendure-api.ts'
import { findVendureHome, installVendure, vendureVersion } from './vendure-install.ts'
import { seedVendure } from './vendure-seed.ts'

export const vendureName = 'Vendure'
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
export async function startVendure(start: VendureStart): Promise<System> {
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
  return describeVendure(url, api.headers, pid)
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

/** Variables instead of literals, so that Vendure parses and validates each document once. */
const rowFields = 'items { sku stockLevels { stockOnHand stockAllocated } }'
const pageQuery = `query ($skip: Int!) {
  productVariants(options: { take: ${pageRows}, skip: $skip, sort: { sku: ASC } }) { ${rowFields} }
}`
const skuQuery = `query ($sku: String!) {
  productVariants(options: { take: 1, filter: { sku: { eq: $sku } } }) { ${rowFields} }
}`

const level = z.object({ stockOnHand: z.int(), stockAllocated: z.int() })
const variants = z.object({
  data: z.object({
    productVariants: z.object({
      items: z.array(z.object({ sku: z.string(), stockLevels: z.tuple([level]) })),
    }),
  }),
})

function describeVendure(url: string, headers: Readonly<Record<string, string>>, pid: number): System {
  const toQuery = (read: Read) =>
    'sku' in read
      ? { query: skuQuery, variables: { sku: read.sku } }
      : { query: pageQuery, variables: { skip: (read.page - 1) * pageRows } }
  return {
    name: vendureName,
    pid,
    toRequest: (read) => ({ url, method: 'POST', headers, body: JSON.stringify(toQuery(read)) }),
    parseRows: (response) =>
      parseBody(variants, response).data.productVariants.items.map(({ sku, stockLevels: [only] }) => ({
        sku,
        onHand: only.stockOnHand,
        available: only.stockOnHand - only.stockAllocated,
      })),
  }
}
