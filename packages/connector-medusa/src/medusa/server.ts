/** Medusa itself: its command line, and the server. */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { admin, type SandboxSettings, toUrl } from './settings.ts'
import { type Running, runProgram, SandboxError, startProgram } from './system.ts'

const maxStartMs = 120_000
const pollMs = 250

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
    let isOver = false
    void server.ended.then(() => {
      isOver = true
    })
    for (let waited = 0; waited < maxStartMs && !isOver; waited += pollMs) {
      if (await this.#isHealthy()) return
      await pause(pollMs)
    }
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

  async stop(): Promise<void> {
    await this.#server?.stop('SIGTERM')
  }
}

const toCli = (home: string) => join(home, 'node_modules/@medusajs/cli/cli.js')
