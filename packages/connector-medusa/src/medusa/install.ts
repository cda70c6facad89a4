/** Installs Medusa from npm into a folder of its own, at exact versions. */
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { runProgram, SandboxError } from '@trade-gateway/connector-kit/sandbox/programs'
import { medusaVersion } from './settings.ts'

const maxTries = 3
/** A download that stalls is begun again; what has arrived is in npm's cache. */
const maxTryMs = 240_000

const manifest = {
  name: 'medusa-sandbox',
  private: true,
  dependencies: {
    '@medusajs/cli': medusaVersion,
    '@medusajs/framework': medusaVersion,
    '@medusajs/medusa': medusaVersion,
  },
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

const npmArguments = [
  'install',
  '--ignore-scripts',
  '--legacy-peer-deps',
  '--prefer-offline',
  '--no-audit',
  '--no-fund',
  '--fetch-timeout=30000',
  '--loglevel=error',
]

/** npm could not install Medusa: there is no npm, no registry or no space. */
export class NotInstalled extends SandboxError {}

/** Returns the folder in which Medusa is installed by default: `MEDUSA_HOME`, or one in the user's cache. */
export function findMedusaHome(env: NodeJS.ProcessEnv): string {
  const cache = env.XDG_CACHE_HOME || join(homedir(), '.cache')
  return env.MEDUSA_HOME || join(cache, 'trade-gateway', `medusa-${medusaVersion}`)
}

/** Installs the packages, unless this version is there already. */
export async function installMedusa(home: string, report: (line: string) => void): Promise<void> {
  const done = join(home, `installed-${medusaVersion}`)
  await mkdir(home, { recursive: true })
  await writeFile(join(home, 'medusa-config.js'), configuration)
  if (existsSync(done)) return
  if (isInsideRepository(home))
    throw new SandboxError(`${home} is inside the repository. Give another --home.`)
  await writeFile(join(home, 'package.json'), JSON.stringify(manifest, null, 2))
  for (let tries = 1; ; tries++) {
    report(`installing Medusa ${medusaVersion} from npm into ${home} (one to five minutes, 700 MB)`)
    try {
      await runProgram('npm', npmArguments, { cwd: home, maxMs: maxTryMs, env: { NODE_ENV: '' } })
      break
    } catch (error) {
      if (tries < maxTries) continue
      const text = error instanceof Error ? error.message : String(error)
      throw new NotInstalled(`Medusa could not be installed: ${text}`)
    }
  }
  await writeFile(done, '')
}

/** Medusa has several hundred packages, which must not come into the modules of this repository. */
function isInsideRepository(home: string): boolean {
  const root = join(import.meta.dirname, '../../../..')
  for (let folder = home; folder !== dirname(folder); folder = dirname(folder))
    if (folder === root) return true
  return false
}
