/** Medusa itself: its command line, and the server. */
import { join } from 'node:path'
import {
  type Running,
  runProgram,
  SandboxError,
  startProgram,
  waitUntilReady,
} from '@trade-gateway/connector-kit/sandbox/programs'
import { admin, type SandboxSettings, toUrl } from './settings.ts'

const startWait = { maxMs: 120_000, pollMs: 250 } as const

/** The server of a sandbox. */
export class MedusaServer {
  readonly #settings: SandboxSettings
  readonly #databaseUrl: string
  #server: Running | undefined

  constructor(settings: SandboxSettings, databaseUrl: string) {
    this.#settings = settings
    this.#databaseUrl = databaseUrl
  }

  get #environment(): NodeJS.ProcessEnv {
    return {
      DATABASE_URL: this.#databaseUrl,
      NODE_ENV: 'production',
      // Nothing leaves the machine.
      MEDUSA_DISABLE_TELEMETRY: 'true',
      // No line for each request, which a bench would measure.
      LOG_LEVEL: 'warn',
    }
  }

  async #runCommand(...args: readonly string[]): Promise<void> {
    const { home } = this.#settings
    await runProgram(process.execPath, [toCli(home), ...args], { cwd: home, env: this.#environment })
  }

  /** Creates the tables and the administrator. */
  async prepareDatabase(): Promise<void> {
    await this.#runCommand('db:migrate')
    await this.#runCommand('user', '-e', admin.email, '-p', admin.password)
  }

  get log(): string {
    return join(this.#settings.work, 'medusa.log')
  }

  async start(): Promise<void> {
    const { home, port } = this.#settings
    const args = [toCli(home), 'start', '-H', '127.0.0.1', '-p', String(port)]
    const server = startProgram(process.execPath, args, { cwd: home, env: this.#environment, log: this.log })
    this.#server = server
    if (await waitUntilReady(server, () => this.#isHealthy(), startWait)) return
    throw new SandboxError(`Medusa did not start on port ${port}. Give another --port, or see ${this.log}.`)
  }

  #isHealthy(): Promise<boolean> {
    return fetch(`${toUrl(this.#settings)}/health`).then(
      ({ ok }) => ok,
      () => false,
    )
  }

  get ended(): Promise<void> {
    return this.#server?.ended ?? Promise.resolve()
  }

  get pid(): number {
    return this.#server?.pid ?? 0
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await this.#server?.stop(signal)
  }
}

const toCli = (home: string) => join(home, 'node_modules/@medusajs/cli/cli.js')
