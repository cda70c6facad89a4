import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { erpClient } from '@trade-gateway/connector'
import { z } from 'zod'
import { type StepName, stepNames } from '../src/steps.ts'
import { connectorUser, databaseName } from '../src/tryton/settings.ts'

const token = 'token-of-the-kills'

/** The connector as a process, which is killed after a step and started again. */
export class Victim {
  readonly #trytonUrl: string
  readonly #port: number
  #step: StepName | undefined
  #onStep: ((step: StepName) => Promise<void>) | undefined
  #child: ChildProcess
  #isOver = false
  readonly client: ReturnType<typeof erpClient>

  constructor({ trytonUrl, port }: { readonly trytonUrl: string; readonly port: number }) {
    this.#trytonUrl = trytonUrl
    this.#port = port
    this.client = erpClient(`http://127.0.0.1:${port}`, token)
    this.#child = this.#start()
  }

  /** Kills after the next time that a step was taken: the connector by itself, or what `kill` kills. */
  arm(step: StepName | undefined, kill?: () => Promise<void>): void {
    this.#step = step
    this.#onStep = kill
    this.#tell(this.#child)
  }

  /** A process that was just killed gets no message; the next one gets it when it starts. */
  #tell(child: ChildProcess): void {
    if (child.connected) child.send({ step: this.#step, isOwn: this.#onStep === undefined }, () => undefined)
  }

  async end(): Promise<void> {
    this.#isOver = true
    this.#child.kill('SIGKILL')
    await this.client.close()
  }

  #start(): ChildProcess {
    const env = {
      ...process.env,
      TRYTON_URL: this.#trytonUrl,
      TRYTON_DATABASE: databaseName,
      TRYTON_USER: connectorUser.user,
      TRYTON_PASSWORD: connectorUser.password,
      TRYTON_CONFIG: join(import.meta.dirname, '../sandbox.json'),
      UPSTREAM_TOKEN: token,
    }
    const file = join(import.meta.dirname, 'kill-victim.ts')
    const stdio = ['ignore', 'ignore', 'inherit', 'ipc'] as const
    const child = spawn(process.execPath, [file, String(this.#port)], { env, stdio: [...stdio] })
    child.on('message', (message) => {
      const { taken } = z.object({ taken: z.string() }).parse(message)
      const step = stepNames.find((name) => name === taken)
      if (step) void this.#onStep?.(step)
    })
    child.on('error', () => undefined)
    child.once('spawn', () => this.#tell(child))
    child.once('exit', () => {
      this.#step = undefined
      if (!this.#isOver) this.#child = this.#start()
    })
    return child
  }
}
