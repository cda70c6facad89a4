/** A whole sandbox: packages, PostgreSQL, Tryton and its goods. */
import { existsSync } from 'node:fs'
import { chmod, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Postgres } from '@trade-gateway/connector-kit/sandbox/postgres'
import { requireFreePort, SandboxError } from '@trade-gateway/connector-kit/sandbox/programs'
import { installPackages } from './packages.ts'
import { seedCompany } from './seed-company.ts'
import { seedCustomers } from './seed-customers.ts'
import { seedGoods } from './seed-goods.ts'
import { seedHistory } from './seed-history.ts'
import { Seeder } from './seeder.ts'
import { databaseName, databaseUser, type SandboxSettings, toUrl } from './settings.ts'
import { openAdminSession, Trytond } from './trytond.ts'

/** The connector's README asks operators for the same: no statement outlives the call that it is for. */
const maxStatementSeconds = 15

export interface Sandbox {
  readonly url: string
  readonly postgres: Postgres
  readonly trytond: Trytond
  /** Stops everything. With `forget`, removes the home too. */
  stop(options?: { readonly forget?: boolean }): Promise<void>
}

/** Installs, fills and starts a Tryton. What is there already is kept. Stops everything again if a step fails. */
export async function startSandbox(settings: SandboxSettings): Promise<Sandbox> {
  const { home, report } = settings
  await requireFreePort(settings.port, '--port')
  await requireFreePort(settings.postgresPort, '--postgres-port')
  await installPackages(report)
  await mkdir(home, { recursive: true })
  // PostgreSQL and Tryton run as other users and must reach their folders in it.
  await chmod(home, 0o755)
  report(`starting PostgreSQL on port ${settings.postgresPort}`)
  const postgres = await Postgres.start({
    folder: join(home, 'postgres'),
    port: settings.postgresPort,
    database: databaseName,
    user: databaseUser,
  })
  const trytond = await Trytond.prepare(settings)
  const stop = async ({ forget = false }: { readonly forget?: boolean } = {}) => {
    await trytond.stop()
    await postgres.stop()
    if (forget) await rm(home, { recursive: true, force: true })
  }
  try {
    const isNew = !(await postgres.hasDatabase())
    if (isNew) await prepareDatabase(settings, postgres, trytond)
    if (isNew && settings.dump === undefined) {
      // Without the time limit, which an inventory of thousands of lines meets on a busy machine.
      await trytond.start()
      await fillDatabase(settings)
      await trytond.stop()
    }
    await postgres.query(`alter database ${databaseName} set statement_timeout = '${maxStatementSeconds}s'`)
    // Before Tryton starts, which keeps the company in its cache. A name of the database of zones has no quotes.
    if (settings.timezone !== undefined)
      await postgres.query(`update company_company set timezone = '${settings.timezone}'`)
    report(`starting Tryton on port ${settings.port}`)
    await trytond.start()
  } catch (error) {
    await stop()
    throw error
  }
  return { url: toUrl(settings), postgres, trytond, stop }
}

async function prepareDatabase(
  settings: SandboxSettings,
  postgres: Postgres,
  trytond: Trytond,
): Promise<void> {
  const { dump, report } = settings
  if (dump !== undefined) {
    if (!existsSync(dump)) throw new SandboxError(`There is no dump ${dump}.`)
    report(`restoring ${dump}`)
    await postgres.restore(dump)
    return
  }
  report('creating the database and activating the modules (one to three minutes)')
  await postgres.createDatabase()
  await trytond.activateModules()
}

async function fillDatabase(settings: SandboxSettings): Promise<void> {
  const { styles, report } = settings
  const seeder = new Seeder(await openAdminSession(settings))
  report(`creating the company, ${styles} styles in three warehouses, and the customers`)
  const company = await seedCompany(seeder)
  const goods = await seedGoods(seeder, company, styles)
  await seedCustomers(seeder, company, goods)
}

/** Books the customer's recent past, unless it is there. */
export async function bookHistory(settings: Pick<SandboxSettings, 'port' | 'report'>): Promise<void> {
  const seeder = new Seeder(await openAdminSession(settings))
  if ((await seeder.rpc.search('sale.sale', [], { limit: 1 })).length > 0) return
  settings.report('booking two orders, a refund and a payment')
  await seedHistory(seeder)
}
