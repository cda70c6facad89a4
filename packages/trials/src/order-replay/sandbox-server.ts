import { ProcessFailed } from '../child-process.ts'
import { freezeTree, thawTree } from '../process-tree.ts'
import type { Victim } from './replay-erp.ts'

/** The server of a sandbox, beside its database. */
interface Server {
  /** Resolves when the running server has ended. */
  readonly ended: Promise<void>
  readonly pid: number
  start(): Promise<void>
  stop(signal: NodeJS.Signals): Promise<void>
}

interface Parts {
  readonly name: string
  readonly server: Server
  /** Stops the server and its database, and removes what they have stored. */
  readonly remove: () => Promise<void>
}

/** The running server of a sandbox, which is killed and restarted. Its database runs on. */
export class SandboxServer implements Victim {
  readonly #parts: Parts
  readonly #ended = new AbortController()
  #isExpected = false
  #isStopped = false

  constructor(parts: Parts) {
    this.#parts = parts
    this.#watch()
  }

  get name(): string {
    return this.#parts.name
  }

  /** The id of the running process. */
  get pid(): number {
    return this.#parts.server.pid
  }

  /** A signal that is aborted with a `ProcessFailed` if the server exits on its own. */
  get ended(): AbortSignal {
    return this.#ended.signal
  }

  async kill(): Promise<void> {
    this.#isExpected = true
    await this.#parts.server.stop('SIGKILL')
  }

  async start(): Promise<void> {
    // A restart after a kill must not outlive the end of the replay.
    if (this.#isStopped) throw new ProcessFailed(`${this.name} was stopped permanently.`)
    await this.#parts.server.start()
    this.#isExpected = false
    this.#watch()
  }

  freeze = (): void => void freezeTree(this.pid)

  thaw = (): void => thawTree(this.pid)

  /** Stops the server and its database permanently. */
  async stop(): Promise<void> {
    this.#isExpected = true
    this.#isStopped = true
    this.thaw()
    await this.#parts.remove()
  }

  #watch() {
    void this.#parts.server.ended.then(() => {
      if (!this.#isExpected) this.#ended.abort(new ProcessFailed(`${this.name} ended.`))
    })
  }
}
