import type { ChildProcess } from 'node:child_process'

/** A process that does not end by itself is ended. */
const stopTimeoutMs = 25_000
const mostKeptCharacters = 16 * 1024
const mostKeptErrors = 20
const mostErrorCharacters = 600
/** How the gateway's log says that something failed inside. */
const errorLine = /^.*"level":"error".*$/gm

/** A process could not be started, or ended without being told to; the message says what it said last. */
export class ProcessFailed extends Error {
  override readonly name = 'ProcessFailed'
}

/** How a process is started: the child, and when it is ready for work. */
export interface Launched {
  readonly child: ChildProcess
  readonly ready: Promise<void>
}

/** A process of ours that is killed now and then, and started again as it was. */
export class Supervised {
  readonly #name: string
  readonly #launch: () => Launched
  readonly #ended = new AbortController()
  #child: ChildProcess | undefined
  #isExpected = false
  #isStopped = false
  #said = ''
  /** What it logged as errors, over all its lives: how often, and the first few lines. */
  readonly errors: { count: number; readonly first: string[] } = { count: 0, first: [] }

  constructor(name: string, launch: () => Launched) {
    this.#name = name
    this.#launch = launch
  }

  /** Aborted, with a `ProcessFailed`, when it ends without being told to. */
  get ended(): AbortSignal {
    return this.#ended.signal
  }

  /** Starts it and resolves when it is ready. Throws `ProcessFailed`. */
  async start(): Promise<void> {
    // What was just killed must not come back after everything was ended.
    if (this.#isStopped) throw new ProcessFailed(`${this.#name} was ended for good.`)
    this.#isExpected = false
    const { child, ready } = this.#launch()
    this.#child = child
    this.#said = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#said = (this.#said + text).slice(-mostKeptCharacters)
        this.#note(text)
      })
    }
    const failure = new Promise<never>((_resolve, reject) => {
      child.once('exit', (code, signal) => {
        if (this.#isExpected) return
        const failed = new ProcessFailed(`${this.#name} ended (${signal ?? code}). It said:\n${this.#said}`)
        this.#ended.abort(failed)
        reject(failed)
      })
      child.once('error', (cause) => {
        const failed = new ProcessFailed(`${this.#name} cannot run: ${cause.message}`, { cause })
        this.#ended.abort(failed)
        reject(failed)
      })
    })
    failure.catch(() => {})
    await Promise.race([ready, failure])
  }

  /** Ends it at once, as a loss of power would. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** Ends it for good, gently; what does not end is killed. */
  async stop(): Promise<void> {
    this.#isStopped = true
    const timer = setTimeout(() => this.#child?.kill('SIGKILL'), stopTimeoutMs)
    await this.#end('SIGTERM')
    clearTimeout(timer)
  }

  #note(text: string) {
    for (const [line] of text.matchAll(errorLine)) {
      this.errors.count += 1
      if (this.errors.first.length < mostKeptErrors)
        this.errors.first.push(line.slice(0, mostErrorCharacters))
    }
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    this.#isExpected = true
    const child = this.#child
    if (!child || child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await gone
  }
}
