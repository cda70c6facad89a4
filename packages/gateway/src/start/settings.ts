import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'

/**
 * Settings come from three places, the first wins: the environment, `.env` in the working directory, and
 * `settings.env` in the data directory. The last one holds what a first start had to make up, readable by its
 * owner only.
 */
export const settingsFile = 'settings.env'

export type Settings = Record<string, string | undefined>

/** What the environment and `.env` say. */
export function givenSettings(environment: NodeJS.ProcessEnv, directory: string): Settings {
  const file = join(directory, '.env')
  return { ...(existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {}), ...environment }
}

/**
 * Lays the settings file under what was given, after adding what is still missing: the key for secrets always, the
 * rest only where the built-in sandbox stands behind the gateway.
 */
export function completedSettings(given: Settings, dataDir: string): Settings {
  const path = join(dataDir, settingsFile)
  const kept: Settings = existsSync(path) ? parseEnv(readFileSync(path, 'utf8')) : {}
  const sandbox = given.UPSTREAM_URL === undefined || given.UPSTREAM_URL === ''
  const made = Object.entries({ ...always, ...(sandbox ? sandboxOnly : {}) }).filter(
    ([name]) => given[name] === undefined && kept[name] === undefined,
  )
  if (made.length > 0) {
    for (const [name, make] of made) kept[name] = make()
    writePrivately(
      path,
      `${heading}${Object.entries(kept)
        .map(([name, value]) => `${name}=${value}\n`)
        .join('')}`,
    )
  }
  return { ...kept, ...given }
}

const heading = '# Made at the first start. The environment and .env win over this file. Keep it private.\n'

const secret = (bytes: number) => () => randomBytes(bytes).toString('base64url')

const always = { SECRETS_KEY: secret(32) }

/** The sandbox's credentials: made here, told to the built-in ERP, printed at start. */
const sandboxOnly = {
  ADMIN_TOKEN: secret(24),
  SANDBOX_USERNAME: () => 'buyer@sandbox.example',
  SANDBOX_PASSWORD: secret(12),
  SANDBOX_USERNAME_2: () => 'buyer2@sandbox.example',
  SANDBOX_PASSWORD_2: secret(12),
  SANDBOX_CLIENT_ID: () => 'sandbox',
  SANDBOX_CLIENT_SECRET: secret(24),
  SANDBOX_CLIENT_SECRET_2: secret(24),
  SANDBOX_ERP_TOKEN: secret(24),
}

/** Writes a file for its owner only, whole or not at all. */
export function writePrivately(path: string, text: string) {
  const draft = `${path}.new`
  writeFileSync(draft, text, { mode: 0o600 })
  chmodSync(draft, 0o600)
  renameSync(draft, path)
}

/** Makes the data directory, for its owner only. */
export function makeDataDir(path: string) {
  mkdirSync(path, { recursive: true, mode: 0o700 })
}
