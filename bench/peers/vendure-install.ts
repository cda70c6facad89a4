/** Installs Vendure from npm into a folder of its own, at exact versions. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findPackagesHome, installPackages } from '@trade-gateway/connector-kit/sandbox/npm-packages'

/** Exact, so that a change of Vendure is a change of this file. */
export const vendureVersion = '3.7.3'
const dependencies = { '@vendure/core': vendureVersion, pg: '8.23.1' }

/** Vendure listens on 127.0.0.1 only, so that this password opens nothing else. */
export const superadmin = { identifier: 'admin', password: 'sandbox-Admin-12345' } as const

/**
 * The server without plugins: no email, no search index, no dashboard, and jobs in memory. It logs errors only, and no
 * requests. A token in a header costs it less than a cookie with a signature.
 */
const serverScript = `const { bootstrap, DefaultLogger, LogLevel } = require('@vendure/core')
bootstrap({
  apiOptions: { hostname: '127.0.0.1', port: Number(process.env.PORT) },
  authOptions: {
    tokenMethod: 'bearer',
    superadminCredentials: ${JSON.stringify(superadmin)},
  },
  dbConnectionOptions: { type: 'postgres', url: process.env.DATABASE_URL, synchronize: true, logging: false },
  paymentOptions: { paymentMethodHandlers: [] },
  logger: new DefaultLogger({ level: LogLevel.Error }),
}).catch((error) => {
  console.error(error)
  process.exit(1)
})
`

/** Returns the folder in which Vendure is installed: `VENDURE_HOME`, or one in the user's cache. */
export function findVendureHome(env: NodeJS.ProcessEnv): string {
  return findPackagesHome(env, { setting: 'VENDURE_HOME', folder: `vendure-${vendureVersion}` })
}

/** Installs the packages, unless this version is there already, and returns the file of the server. */
export async function installVendure(home: string, report: (line: string) => void): Promise<string> {
  await installPackages({
    name: 'Vendure',
    version: vendureVersion,
    dependencies,
    effort: 'one to three minutes, 150 MB',
    home,
    report,
  })
  const script = join(home, 'server.cjs')
  await writeFile(script, serverScript)
  return script
}
