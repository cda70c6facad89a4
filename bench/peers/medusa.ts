/** Medusa with the stock of one warehouse, and its PostgreSQL, which the other systems use too. */
import { join } from 'node:path'
import type { Postgres } from '@trade-gateway/connector-kit/sandbox/postgres'
import { z } from 'zod'
import { toKeyHeaders, toQueryString } from '../../packages/connector-medusa/src/http.ts'
import { findMedusaHome } from '../../packages/connector-medusa/src/medusa/install.ts'
import { startSandbox } from '../../packages/connector-medusa/src/medusa/sandbox.ts'
import type { Keys } from '../../packages/connector-medusa/src/medusa/seed.ts'
import { admin } from '../../packages/connector-medusa/src/medusa/settings.ts'
import { pageRows, parseBody, type Read, type System, sendRead } from './system.ts'

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
  /** Medusa with a secret API key, as its connector has one, and with an administrator's token. */
  readonly systems: readonly System[]
  readonly url: string
  readonly keys: Keys
  readonly postgres: Postgres
}

/** Medusa checks a secret key with scrypt on each request, which takes longer than to read a page. */
export const medusaNames = { key: 'Medusa, secret key', token: 'Medusa, token' } as const

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
  const systems = [
    describeMedusa({ name: medusaNames.key, pid: server.pid }, url, toKeyHeaders(keys.secretKey)),
    describeMedusa({ name: medusaNames.token, pid: server.pid }, url, { authorization: `Bearer ${token}` }),
  ]
  return { systems, url, keys, postgres }
}

const fields = ['sku', 'location_levels.stocked_quantity', 'location_levels.reserved_quantity'].join(',')
const level = z.object({ stocked_quantity: z.int(), reserved_quantity: z.int() })
const items = z.object({
  inventory_items: z.array(z.object({ sku: z.string(), location_levels: z.tuple([level]) })),
})

async function signIn(url: string): Promise<string> {
  const response = await sendRead('Medusa', {
    url: `${url}/auth/user/emailpass`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(admin),
  })
  return parseBody(z.object({ token: z.string() }), response).token
}

function describeMedusa(
  { name, pid }: Pick<System, 'name' | 'pid'>,
  url: string,
  headers: Readonly<Record<string, string>>,
): System {
  const toFilter = (read: Read) =>
    'sku' in read
      ? { sku: read.sku, limit: 1 }
      : { limit: pageRows, offset: (read.page - 1) * pageRows, order: 'sku' }
  return {
    ...{ name, pid },
    toRequest: (read) => ({
      url: `${url}/admin/inventory-items${toQueryString({ ...toFilter(read), fields })}`,
      headers,
    }),
    parseRows: (response) =>
      parseBody(items, response).inventory_items.map(({ sku, location_levels: [only] }) => ({
        sku,
        onHand: only.stocked_quantity,
        available: only.stocked_quantity - only.reserved_quantity,
      })),
  }
}
