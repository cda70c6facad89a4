/** Installs a system from npm into a folder of its own, at exact versions. */
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { runProgram, SandboxError } from './programs.ts'

const maxTries = 3
/** A download that stalls is begun again; what has arrived is in npm's cache. */
const maxTryMs = 240_000

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

/** npm could not install a system: there is no npm, no registry or no space. */
export class NotInstalled extends SandboxError {}

export interface NpmPackages {
  /** The name of the system, for people. */
  readonly name: string
  readonly version: string
  /** The packages with their exact versions. */
  readonly dependencies: Readonly<Record<string, string>>
  /** How long the installation takes and how large it is, for people. */
  readonly effort: string
  /** The folder of the packages, which a later start uses again. */
  readonly home: string
  readonly report: (line: string) => void
}

/** Returns the folder of a system's packages: the value of the setting, or one in the user's cache. */
export function findPackagesHome(
  env: NodeJS.ProcessEnv,
  { setting, folder }: { readonly setting: string; readonly folder: string },
): string {
  const cache = env.XDG_CACHE_HOME || join(homedir(), '.cache')
  return env[setting] || join(cache, 'trade-gateway', folder)
}

/** Installs the packages, unless this version is there already. Throws `NotInstalled` if npm fails. */
export async function installPackages(packages: NpmPackages): Promise<void> {
  const { name, version, dependencies, effort, home, report } = packages
  const done = join(home, `installed-${version}`)
  if (existsSync(done)) return
  if (isInsideRepository(home))
    throw new SandboxError(`${home} is inside the repository. Give another folder.`)
  await mkdir(home, { recursive: true })
  const manifest = { name: `${name.toLowerCase()}-sandbox`, private: true, dependencies }
  await writeFile(join(home, 'package.json'), JSON.stringify(manifest, null, 2))
  for (let tries = 1; ; tries++) {
    report(`installing ${name} ${version} from npm into ${home} (${effort})`)
    try {
      await runProgram('npm', npmArguments, { cwd: home, maxMs: maxTryMs, env: { NODE_ENV: '' } })
      break
    } catch (error) {
      if (tries < maxTries) continue
      const text = error instanceof Error ? error.message : String(error)
      throw new NotInstalled(`${name} could not be installed: ${text}`)
    }
  }
  await writeFile(done, '')
}

/** Such a system has several hundred packages, which must not come into the modules of this repository. */
function isInsideRepository(home: string): boolean {
  const root = join(import.meta.dirname, '../../../..')
  for (let folder = home; folder !== dirname(folder); folder = dirname(folder))
    if (folder === root) return true
  return false
}
