/** A whole sandbox: packages, database, Medusa and its goods. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Postgres } from '@trade-gateway/connector-kit/sandbox/postgres'
import { requireFreePort } from '@trade-gateway/connector-kit/sandbox/programs'
import { z } from 'zod'
import { installMedusa } from './install.ts'
import { type Keys, seed } from './seed.ts'
import { MedusaServer } from './server.ts'
import { databaseName, databaseUser, medusaVersion, type SandboxSettings, toUrl } from './settings.ts'

export interface Sandbox {
  readonly url: string
  readonly keys: Keys
  readonly server: MedusaServer
  /** Undefined if its database is on another server. */
  readonly postgres: Postgres | undefined
  stop(): Promise<void>
}

/** Installs, fills and starts a Medusa. Stops everything again if a step fails. */
export async function startSandbox(settings: SandboxSettings): Promise<Sandbox> {
  const { report, home } = settings
  await requireFreePort(settings.port, '--port')
  await installMedusa(home, report)
  const postgres = settings.databaseUrl === undefined ? await startPostgres(settings) : undefined
  const server = new MedusaServer(settings, postgres?.url ?? settings.databaseUrl ?? '')
  const stop = async () => {
    await server.stop()
    await postgres?.stop()
  }
  try {
    const keys = await fillAndStart(settings, postgres, server)
    return { url: toUrl(settings), keys, server, postgres, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startPostgres({ work, postgresPort, report }: SandboxSettings): Promise<Postgres> {
  await requireFreePort(postgresPort, '--postgres-port')
  report(`starting PostgreSQL on port ${postgresPort}`)
  const folder = join(work, 'postgres')
  return Postgres.start({ folder, port: postgresPort, database: databaseName, user: databaseUser })
}

const keysFile = z.object({ secretKey: z.string(), publishableKey: z.string() })

/** Restores the database that an earlier start has filled, or fills one and keeps its dump for the next start. */
async function fillAndStart(
  settings: SandboxSettings,
  postgres: Postgres | undefined,
  server: MedusaServer,
): Promise<Keys> {
  const { report, home } = settings
  const kept = join(home, `seed-${await hashSeed(settings)}`)
  if (postgres && existsSync(`${kept}.json`)) {
    report('restoring the database of an earlier start')
    await postgres.restore(`${kept}.dump`)
    report(`starting Medusa on port ${settings.port}`)
    await server.start()
    return keysFile.parse(JSON.parse(await readFile(`${kept}.json`, 'utf8')))
  }
  await postgres?.createDatabase()
  report('creating the tables')
  await server.prepareDatabase()
  report(`starting Medusa on port ${settings.port}`)
  await server.start()
  const keys = await seed(settings)
  if (postgres) {
    await postgres.save(`${kept}.dump`)
    await writeFile(`${kept}.part`, JSON.stringify(keys), { mode: 0o600 })
    await rename(`${kept}.part`, `${kept}.json`)
  }
  return keys
}

const seedFiles = ['seed.ts', 'seed-shop.ts', 'seed-goods.ts', 'seed-customers.ts', 'settings.ts']

/** A dump is of one version of Medusa, of the files that fill it, and of one size. */
async function hashSeed({ styles, warehouses }: SandboxSettings): Promise<string> {
  const hash = createHash('sha256').update(`${medusaVersion} ${styles} ${warehouses}`)
  for (const file of seedFiles) hash.update(await readFile(join(import.meta.dirname, file)))
  return hash.digest('hex').slice(0, 12)
}
