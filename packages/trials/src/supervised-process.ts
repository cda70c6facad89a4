import { ProcessFailed, type StartedProcess } from './child-process.ts'

const maxKeptErrors = 20
const maxErrorCharacters = 600
/** A line of the gateway's log that reports an internal error. */
const errorLine = /^.*"level":"error".*$/gm

/** A started child process, and a promise that resolves when it is ready. */
export interface LaunchedProcess {
  readonly child: StartedProcess
  readonly ready: Promise<unknown>
}

/** A process that a trial kills and restarts with the same settings. */
export class SupervisedProcess {
  readonly #name: string
  readonly #launch: () => LaunchedProcess
  readonly #ended = new AbortController()
  readonly #listeners: ((text: string) => void)[] = []
  #child: StartedProcess | undefined
  #isStopped = false
  /** The errors in its log over all starts: their number and the first few lines. */
  readonly errors: { count: number; readonly first: string[] } = { count: 0, first: [] }

  constructor(name: string, launch: () => LaunchedProcess) {
    this.#name = name
    this.#launch = launch
  }

  /** A signal that is aborted with a `ProcessFailed` if the process exits on its own. */
  get ended(): AbortSignal {
    return this.#ended.signal
  }

  /** The id of the running process. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Calls `listener` with each piece of output of this and every later start. */
  onOutput(listener: (text: string) => void): void {
    this.#listeners.push(listener)
    this.#child?.onOutput(listener)
  }

  /** Starts the process and resolves when it is ready. Throws `ProcessFailed`. */
  async start(): Promise<void> {
    // A restart after a kill must not outlive the end of the trial.
    if (this.#isStopped) throw new ProcessFailed(`${this.#name} was stopped permanently.`)
    const { child, ready } = this.#launch()
    this.#child = child
    child.onOutput((text) => this.#recordErrors(text))
    for (const listener of this.#listeners) child.onOutput(listener)
    child.ended.addEventListener('abort', () => this.#ended.abort(child.ended.reason), { once: true })
    await ready
  }

  /** Stops the process with SIGSTOP. It keeps its connections and does nothing until `thaw`. */
  freeze(): void {
    this.#child?.signal('SIGSTOP')
  }

  thaw(): void {
    this.#child?.signal('SIGCONT')
  }

  /** Kills the process at once, like a power failure. */
  async kill(): Promise<void> {
    await this.#child?.kill()
  }

  /** Stops the process permanently: with SIGTERM, and after a timeout with SIGKILL. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.thaw()
    await this.#child?.stop()
  }

  #recordErrors(text: string) {
    for (const [line] of text.matchAll(errorLine)) {
      this.errors.count += 1
      if (this.errors.first.length < maxKeptErrors) this.errors.first.push(line.slice(0, maxErrorCharacters))
    }
  }
}
