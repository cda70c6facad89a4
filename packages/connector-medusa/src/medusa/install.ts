/** Installs Medusa from npm into a folder of its own, at exact versions. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findPackagesHome, installPackages } from '@trade-gateway/connector-kit/sandbox/npm-packages'
import { medusaVersion } from './settings.ts'

const dependencies = {
  '@medusajs/cli': medusaVersion,
  '@medusajs/framework': medusaVersion,
  '@medusajs/medusa': medusaVersion,
}

/** Without the admin dashboard, and with everything in memory that would require another server. */
const configuration = `const { defineConfig } = require('@medusajs/framework/utils')
module.exports = defineConfig({
  admin: { disable: true },
  projectConfig: {
    databaseUrl: process.env.DATABASE_URL,
    databaseDriverOptions: { connection: { ssl: false } },
    http: { storeCors: '', adminCors: '', authCors: '', jwtSecret: 'sandbox', cookieSecret: 'sandbox' },
  },
})
`

/** Returns the folder in which Medusa is installed by default: `MEDUSA_HOME`, or one in the user's cache. */
export function findMedusaHome(env: NodeJS.ProcessEnv): string {
  return findPackagesHome(env, { setting: 'MEDUSA_HOME', folder: `medusa-${medusaVersion}` })
}

/** Installs the packages, unless this version is there already. Throws `NotInstalled` if npm fails. */
export async function installMedusa(home: string, report: (line: string) => void): Promise<void> {
  await mkdir(home, { recursive: true })
  await writeFile(join(home, 'medusa-config.js'), configuration)
  await installPackages({
    name: 'Medusa',
    version: medusaVersion,
    dependencies,
    effort: 'one to five minutes, 700 MB',
    home,
    report,
  })
}
