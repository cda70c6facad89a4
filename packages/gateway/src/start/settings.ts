/**
 * Reads settings from three sources: the environment, then `.env` in the working directory, then `settings.env` in
 * the data directory. The first source that has a setting wins. The first start generates missing secrets into
 * `settings.env`, which only its owner can read.
 */

import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { pickOwnVariables, readSettingFiles } from '../config.ts'
import { writePrivately } from '../kernel/private-file.ts'

export const settingsFile = 'settings.env'

export type Settings = Record<string, string | undefined>

/**
 * Merges the settings of the environment, if they are meant for the gateway, with everything in `.env`. The environment
 * takes precedence. Settings that name a file with a secret are replaced by the secret. Throws `ConfigError`.
 */
export function readSettings(environment: NodeJS.ProcessEnv, directory: string): Settings {
  const file = join(directory, '.env')
  const given = {
    ...(existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {}),
    ...pickOwnVariables(environment),
  }
  return readSettingFiles(given, (path) => readFileSync(path, 'utf8'))
}

/** Lists the names of the settings that `.env` or `settings.env` set, because the environment does not. */
export function listNamesFromFiles(settings: Settings, environment: NodeJS.ProcessEnv): Set<string> {
  return new Set(Object.keys(settings).filter((name) => environment[name] === undefined))
}

/**
 * Generates missing settings into `settings.env` and returns them together with the given ones, which take precedence.
 * `SECRETS_KEY` is always generated; the rest only with the built-in sandbox.
 */
export function completeSettings(given: Settings, dataDir: string): Settings {
  const path = join(dataDir, settingsFile)
  const kept = readKeptSettings(dataDir)
  const sandbox = !given.UPSTREAM_URL && !given.UPSTREAM_TOKEN
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

/** Reads the settings that an earlier start generated; empty if none did. */
export function readKeptSettings(dataDir: string): Settings {
  const path = join(dataDir, settingsFile)
  return existsSync(path) ? parseEnv(readFileSync(path, 'utf8')) : {}
}

const heading =
  '# Generated at the first start. The environment and .env override this file. Keep it private.\n'

const createSecretGenerator = (bytes: number) => () => randomBytes(bytes).toString('base64url')

const always = { SECRETS_KEY: createSecretGenerator(32) }

/** The sandbox's credentials: generated here, passed to the built-in ERP, and printed at startup. */
const sandboxOnly = {
  ADMIN_TOKEN: createSecretGenerator(24),
  SANDBOX_USERNAME: () => 'buyer@sandbox.example',
  SANDBOX_PASSWORD: createSecretGenerator(12),
  SANDBOX_USERNAME_2: () => 'buyer2@sandbox.example',
  SANDBOX_PASSWORD_2: createSecretGenerator(12),
  SANDBOX_CLIENT_ID: () => 'sandbox',
  SANDBOX_CLIENT_SECRET: createSecretGenerator(24),
  SANDBOX_CLIENT_SECRET_2: createSecretGenerator(24),
  SANDBOX_ERP_TOKEN: createSecretGenerator(24),
}
