/**
 * Where secrets are kept: in the keychain of the system, by its own command, or in a file that only its owner can read.
 * A secret goes to a command by its standard input, because other users of the machine can read a command line.
 */

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Environment } from '../environment.ts'
import { withLock } from './lock-file.ts'
import type { Paths } from './paths.ts'
import { readJsonFile, writeJsonFile } from './private-file.ts'

const service = 'trade-gateway'
/** A keychain that waits for somebody to unlock it must not hold a script up for ever. */
const keychainTimeoutMs = 20_000

/** Which place has a secret. */
export type SecretPlace = 'keychain' | 'file'

export interface SecretSetting {
  readonly paths: Paths
  readonly env: Environment
  readonly platform?: NodeJS.Platform
}

/** Stores a secret under a name. Returns where it is. */
export async function storeSecret(
  setting: SecretSetting,
  name: string,
  secret: string,
): Promise<SecretPlace> {
  const keychain = findKeychain(setting)
  if (keychain && (await keychain.store(name, secret))) {
    await changeFile(setting.paths, (secrets) => delete secrets[name])
    return 'keychain'
  }
  await changeFile(setting.paths, (secrets) => {
    secrets[name] = secret
  })
  return 'file'
}

/** Reads a secret; undefined if it is not there. */
export async function readSecret(
  setting: SecretSetting,
  name: string,
  place: SecretPlace,
): Promise<string | undefined> {
  if (place === 'keychain') return findKeychain(setting)?.read(name)
  return (await readFileOf(setting.paths))[name]
}

/** Reads a secret of the file, or stores the proposed one. Commands that start at the same time get the same secret. */
export async function provideFileSecret(paths: Paths, name: string, proposed: string): Promise<string> {
  return changeFile(paths, (secrets) => {
    const secret = secrets[name] ?? proposed
    secrets[name] = secret
    return secret
  })
}

/**
 * Deletes a secret wherever it is. `TGW_KEYCHAIN=off` says where a new secret goes, so one that is in the keychain leaves it
 * all the same. Returns false if the keychain has not deleted a secret that was stored there.
 */
export async function deleteSecret(
  setting: SecretSetting,
  name: string,
  place: SecretPlace,
): Promise<boolean> {
  const isInKeychain = place === 'keychain'
  if (!isInKeychain) await findKeychain(setting)?.delete(name)
  const isDeleted = !isInKeychain || (await deleteFromKeychain(setting, name))
  await changeFile(setting.paths, (secrets) => delete secrets[name])
  return isDeleted
}

/** Deletes a secret from the keychain only, such as one that is in the file now. Returns whether it was deleted. */
export async function deleteFromKeychain(setting: SecretSetting, name: string): Promise<boolean> {
  return (await findSystemKeychain(setting)?.delete(name)) ?? false
}

export function getSecretsFile(paths: Paths): string {
  return join(paths.config, 'secrets.json')
}

async function readFileOf(paths: Paths): Promise<Record<string, string>> {
  const found = await readJsonFile(getSecretsFile(paths))
  if (typeof found !== 'object' || found === null) return {}
  return Object.fromEntries(Object.entries(found).filter(([, value]) => typeof value === 'string'))
}

/** Changes the file under a lock: two commands that read the same secrets would each lose what the other one stored. */
function changeFile<T>(paths: Paths, change: (secrets: Record<string, string>) => T): Promise<T> {
  const file = getSecretsFile(paths)
  return withLock(`${file}.lock`, 'stores a secret', async () => {
    const secrets = await readFileOf(paths)
    const before = JSON.stringify(secrets)
    const result = change(secrets)
    if (JSON.stringify(secrets) !== before) await writeJsonFile(file, secrets)
    return result
  })
}

interface Keychain {
  store(name: string, secret: string): Promise<boolean>
  read(name: string): Promise<string | undefined>
  /** Returns whether the keychain says that it has deleted the secret. */
  delete(name: string): Promise<boolean>
}

/** The keychain of this system. `TGW_KEYCHAIN=off` keeps secrets in the file, as in a container. */
function findKeychain(setting: SecretSetting): Keychain | undefined {
  return setting.env.TGW_KEYCHAIN === 'off' ? undefined : findSystemKeychain(setting)
}

function findSystemKeychain({ env, platform = process.platform }: SecretSetting): Keychain | undefined {
  if (platform === 'darwin') return macKeychain(env)
  return platform === 'linux' ? linuxKeychain(env) : undefined
}

/** `secret-tool` of libsecret: GNOME Keyring, KWallet. */
function linuxKeychain(env: Environment): Keychain {
  const attributes = (name: string) => ['service', service, 'profile', name]
  return {
    store: async (name, secret) =>
      (await runTool(env, 'secret-tool', ['store', '--label', `tgw ${name}`, ...attributes(name)], secret))
        .isOk,
    async read(name) {
      const { isOk, output } = await runTool(env, 'secret-tool', ['lookup', ...attributes(name)])
      return isOk && output !== '' ? output.replace(/\n$/, '') : undefined
    },
    async delete(name) {
      return (await runTool(env, 'secret-tool', ['clear', ...attributes(name)])).isOk
    },
  }
}

/** `security` of macOS. It reads its command from standard input, with the secret in hexadecimal. */
function macKeychain(env: Environment): Keychain {
  const where = (name: string) => `-a ${name} -s ${service}`
  return {
    async store(name, secret) {
      const hex = Buffer.from(secret, 'utf8').toString('hex')
      await runTool(env, 'security', ['-i'], `add-generic-password -U ${where(name)} -X ${hex}\n`)
      // The interactive mode reports success in any case.
      return (await this.read(name)) === secret
    },
    async read(name) {
      const args = ['find-generic-password', ...where(name).split(' '), '-w']
      const { isOk, output } = await runTool(env, 'security', args)
      return isOk ? output.replace(/\n$/, '') : undefined
    },
    async delete(name) {
      return (await runTool(env, 'security', ['delete-generic-password', ...where(name).split(' ')])).isOk
    },
  }
}

/** Runs a command of the system to its end. A command that is not there has failed. */
function runTool(
  env: Environment,
  command: string,
  args: readonly string[],
  input = '',
): Promise<{ readonly isOk: boolean; readonly output: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      env: { ...env },
      stdio: ['pipe', 'pipe', 'ignore'],
      // A signal’s timer does not keep the process alive. `timeout` would, for as long as it lasts, if there is no such tool.
      signal: AbortSignal.timeout(keychainTimeoutMs),
      killSignal: 'SIGKILL',
    })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    child.stdin.on('error', () => {})
    child.once('error', () => resolve({ isOk: false, output: '' }))
    child.once('close', (code) => resolve({ isOk: code === 0, output }))
    child.stdin.end(input)
  })
}
