/** The processes of a Tryton in a replay: PostgreSQL and trytond of a sandbox, and the connector before them. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Sandbox, startSandbox } from '../../../connector-tryton/src/tryton/sandbox.ts'
import {
  committedDump,
  connectorUser,
  databaseName,
  type SandboxSettings,
} from '../../../connector-tryton/src/tryton/settings.ts'
import { ProcessFailed, StartedProcess } from '../child-process.ts'
import type { Victim } from './replay-erp.ts'
import { SupervisedProcess } from './supervised-process.ts'

const connectorFile = fileURLToPath(new URL('../../../connector-tryton/src/main.ts', import.meta.url))
const configFile = fileURLToPath(new URL('../../../connector-tryton/sandbox.json', import.meta.url))
const readyText = 'Tryton connector at'
const startTimeoutMs = 120_000
/** The styles of the committed dump, which is restored. */
const styles = 60

/** A Tryton that is killed and restarted. Its database runs on. */
export class TrytondProcess implements Victim {
  readonly name = 'trytond'
  readonly #sandbox: Sandbox
  readonly #ended = new AbortController()
  #isExpected = false
  #isStopped = false

  private constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox
    this.#watch()
  }

  /** Starts a Tryton from the committed dump, in a folder of its own. */
  static async launch(ports: {
    readonly port: number
    readonly postgresPort: number
    readonly report: (line: string) => void
  }): Promise<{ readonly trytond: TrytondProcess; readonly settings: SandboxSettings }> {
    // PostgreSQL and Tryton run as other users, who may not enter the folder of the replay.
    const home = await mkdtemp(join(tmpdir(), 'trade-gateway-tryton-'))
    const settings = { ...ports, home, styles, dump: committedDump }
    try {
      return { trytond: new TrytondProcess(await startSandbox(settings)), settings }
    } catch (error) {
      await rm(home, { recursive: true, force: true })
      throw error
    }
  }

  /** A signal that is aborted with a `ProcessFailed` if trytond exits on its own. */
  get ended(): AbortSignal {
    return this.#ended.signal
  }

  get url(): string {
    return this.#sandbox.url
  }

  async kill(): Promise<void> {
    this.#isExpected = true
    await this.#sandbox.trytond.stop('SIGKILL')
  }

  async start(): Promise<void> {
    // A restart after a kill must not outlive the end of the replay.
    if (this.#isStopped) throw new ProcessFailed('trytond was stopped permanently.')
    await this.#sandbox.trytond.start()
    this.#isExpected = false
    this.#watch()
  }

  /** Stops trytond and PostgreSQL permanently, and removes the database. */
  async stop(): Promise<void> {
    this.#isExpected = true
    this.#isStopped = true
    await this.#sandbox.stop({ forget: true })
  }

  #watch() {
    void this.#sandbox.trytond.ended.then(() => {
      if (!this.#isExpected) this.#ended.abort(new ProcessFailed('trytond ended.'))
    })
  }
}

/** A connector in a separate process, with the token that it expects. */
export interface ConnectorProcess {
  readonly process: SupervisedProcess
  readonly url: string
  readonly token: string
}

/** Starts the connector before a Tryton, as the user with only the rights that its README lists. */
export async function startConnector(tryton_url: string, port: number): Promise<ConnectorProcess> {
  const token = randomBytes(24).toString('base64url')
  const env = {
    TRYTON_URL: tryton_url,
    TRYTON_DATABASE: databaseName,
    TRYTON_USER: connectorUser.user,
    TRYTON_PASSWORD: connectorUser.password,
    TRYTON_CONFIG: configFile,
    UPSTREAM_TOKEN: token,
  }
  const name = 'The connector'
  const supervised = new SupervisedProcess(name, () => {
    const child = new StartedProcess({ name, args: [connectorFile, '--port', String(port)], env })
    return { child, ready: child.waitForText(readyText, 'stdout', { timeoutMs: startTimeoutMs }) }
  })
  await supervised.start()
  return { process: supervised, url: `http://127.0.0.1:${port}`, token }
}
