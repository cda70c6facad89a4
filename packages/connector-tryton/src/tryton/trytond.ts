/** The Tryton server of the sandbox. */
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  findOwner,
  giveTo,
  type Owner,
  type Running,
  runProgram,
  SandboxError,
  startProgram,
  waitUntilReady,
} from '@trade-gateway/connector-kit/sandbox/programs'
import { z } from 'zod'
import { systemEnvironment } from '../environment.ts'
import { Rpc } from '../rpc.ts'
import { admin, databaseName, databaseUser, type SandboxSettings, sandboxModules, toUrl } from './settings.ts'

const startWait = { maxMs: 60_000, pollMs: 100 } as const

/**
 * `worker = False`: Tryton processes an order in the request that confirms it, as the connector requires. The limits of
 * attempts are raised, because a test signs in with many wrong passwords.
 */
const configuration = ({ port, postgresPort }: SandboxSettings) => `[web]
listen = 127.0.0.1:${port}
[database]
uri = postgresql://${databaseUser}@127.0.0.1:${postgresPort}
[session]
timeout = 86400
max_attempt = 1000
max_attempt_ip_network = 100000
[queue]
worker = False
[password]
length = 8
`

export class Trytond {
  readonly #settings: SandboxSettings
  readonly #owner: Owner | undefined
  #server: Running | undefined

  private constructor(settings: SandboxSettings, owner: Owner | undefined) {
    this.#settings = settings
    this.#owner = owner
  }

  /** Writes the configuration. The server does not run yet. */
  static async prepare(settings: SandboxSettings): Promise<Trytond> {
    const trytond = new Trytond(settings, await findOwner('tryton'))
    await mkdir(trytond.#folder, { recursive: true })
    await giveTo(trytond.#owner, trytond.#folder)
    await writeFile(trytond.#conf, configuration(settings))
    await chmod(trytond.#conf, 0o644)
    return trytond
  }

  get #folder(): string {
    return join(this.#settings.home, 'tryton')
  }

  get #conf(): string {
    return join(this.#folder, 'trytond.conf')
  }

  get pid(): number {
    return this.#server?.pid ?? 0
  }

  /** Resolves when the running server has ended. */
  get ended(): Promise<void> {
    return this.#server?.ended ?? Promise.resolve()
  }

  /** Creates the tables of the modules in an empty database, and the administrator. */
  async activateModules(): Promise<void> {
    const passwordFile = join(this.#folder, 'admin.password')
    await writeFile(passwordFile, admin.password, { mode: 0o600 })
    await giveTo(this.#owner, passwordFile)
    const args = ['-c', this.#conf, '-d', databaseName, '-u', ...sandboxModules, '--activate-dependencies']
    await runProgram('trytond-admin', [...args, '--email', 'admin@example.test'], {
      owner: this.#owner,
      cwd: this.#folder,
      env: { TRYTONPASSFILE: passwordFile },
    })
  }

  async start(): Promise<void> {
    const log = join(this.#folder, 'trytond.log')
    const server = startProgram('/usr/bin/trytond', ['-c', this.#conf, '-d', databaseName], {
      owner: this.#owner,
      cwd: this.#folder,
      log,
    })
    this.#server = server
    if (await waitUntilReady(server, () => isAnswering(this.#settings), startWait)) return
    throw new SandboxError(
      `trytond did not start on port ${this.#settings.port}. Give another --port, or see ${log}.`,
    )
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await this.#server?.stop(signal)
  }
}

async function isAnswering(settings: SandboxSettings): Promise<boolean> {
  const body = JSON.stringify({ id: 1, method: 'common.server.version', params: [] })
  const headers = { 'content-type': 'application/json' }
  const signal = AbortSignal.timeout(2_000)
  return fetch(`${toUrl(settings)}/`, { method: 'POST', headers, body, signal }).then(
    (response) => response.ok,
    () => false,
  )
}

/** Opens a session of the administrator, whose context has the company if there is one. */
export async function openAdminSession(settings: Pick<SandboxSettings, 'port'>): Promise<Rpc> {
  const rpc = new Rpc({
    url: toUrl(settings),
    database: databaseName,
    environment: systemEnvironment,
    ...admin,
  })
  const preferences = z.object({ company: z.int().nullish(), language: z.string().nullish() })
  const { company, language } = await rpc.call('model.res.user.get_preferences', [true], preferences)
  rpc.setContext({ ...(company ? { company } : {}), ...(language ? { language } : {}) })
  return rpc
}
