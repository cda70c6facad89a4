/** The Debian packages of the sandbox. */
import { existsSync } from 'node:fs'
import { findPostgres, isRoot, runProgram, SandboxError } from '@trade-gateway/connector-kit/sandbox/programs'

const packages = ['postgresql', 'tryton-server', 'tryton-modules-all', 'python3-psycopg2'] as const
const trytond = '/usr/bin/trytond'
const anyModule = '/usr/lib/python3/dist-packages/trytond/modules/web_shop_vue_storefront'
const series = '6.0'

/** Names what is not installed. */
export function listMissingParts(): string[] {
  return [
    ...(findPostgres() ? [] : ['the PostgreSQL server']),
    ...(existsSync(trytond) ? [] : ['trytond']),
    ...(existsSync(anyModule) ? [] : ['the modules of Tryton']),
  ]
}

/** Installs what is missing with apt, if this process may. Throws one sentence that says what is missing otherwise. */
export async function installPackages(report: (line: string) => void): Promise<void> {
  const missing = listMissingParts()
  if (missing.length > 0) {
    const remedy = `install the Debian 12 packages ${packages.join(' ')}`
    const what = missing.join(' and ')
    if (!isRoot())
      throw new SandboxError(`Tryton cannot run here, because ${what} is missing: ${remedy} as root.`)
    if (!existsSync('/usr/bin/apt-get'))
      throw new SandboxError(
        `Tryton cannot run here, because ${what} is missing and there is no apt-get: ${remedy}.`,
      )
    report(`installing ${packages.join(' ')}`)
    const env = { DEBIAN_FRONTEND: 'noninteractive' }
    const args = ['install', '-y', '--no-install-recommends', ...packages]
    await runProgram('apt-get', args, { env }).catch(async () => {
      await runProgram('apt-get', ['update'], { env })
      await runProgram('apt-get', args, { env })
    })
  }
  const version = (await runProgram(trytond, ['--version'])).trim()
  if (!version.includes(` ${series}.`))
    throw new SandboxError(
      `The sandbox requires Tryton ${series}, as in Debian 12; this system has ${version}.`,
    )
}
