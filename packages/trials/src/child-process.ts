import { type ChildProcess, spawn } from 'node:child_process'
import { compiledCode } from './compiled-code.ts'

/**
 * Starts child processes for trials and fault tests, each with its own environment. `StartedProcess` keeps the output,
 * waits until the process is ready, and ends it.
 */

/** What to start, and how. */
export interface Launch {
  /** The name in messages, such as `The gateway`. */
  readonly name: string
  /** The arguments of node: a file and its options. */
  readonly args: readonly string[]
  /** The program to start; node if absent. */
  readonly command?: string
  readonly cwd?: string
  /** The whole environment beside `compiledCode`, so that the process inherits no settings of another installation. */
  readonly env: Readonly<Record<string, string>>
  /** The first IPC message to the process. It carries secrets, which other processes could read on a command line. */
  readonly message?: object
  /** Whether the process is a shell, which reads from standard input and leads a process group that ends with it. */
  readonly isShell?: boolean
}

export interface Waiting {
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

type Stream = 'stdout' | 'stderr'

/** The maximum amount of output that is kept. */
const maxKeptCharacters = 64 * 1024
/** The time in milliseconds that a process has to exit after SIGTERM. After it the process is killed. */
const stopTimeoutMs = 25_000

/**
 * The error for a process that could not be started or exited too early. Its message ends with the latest output of the
 * process.
 */
export class ProcessFailed extends Error {
  override readonly name = 'ProcessFailed'
}

/** A child process from its start to its end. */
export class StartedProcess {
  readonly #name: string
  readonly #child: ChildProcess
  readonly #isGroup: boolean
  readonly #beginning = { stdout: '', stderr: '' }
  readonly #listeners: ((text: string, stream: Stream) => void)[] = []
  readonly #ended = new AbortController()
  #failure: ProcessFailed | undefined
  readonly #gone: Promise<void>
  readonly #closed: Promise<void>
  #newest = ''
  #isExpected = false

  constructor({ name, command = process.execPath, args, cwd, env, message, isShell = false }: Launch) {
    this.#name = name
    this.#isGroup = isShell
    const channel = message === undefined ? [] : (['ipc'] as const)
    this.#child = spawn(command, args, {
      env: { ...compiledCode, ...env },
      detached: isShell,
      stdio: [isShell ? 'pipe' : 'ignore', 'pipe', 'pipe', ...channel],
      ...(cwd === undefined ? {} : { cwd }),
    })
    this.#keepOutput('stdout')
    this.#keepOutput('stderr')
    const { promise: gone, resolve: resolveGone } = Promise.withResolvers<void>()
    const { promise: closed, resolve: resolveClosed } = Promise.withResolvers<void>()
    this.#gone = gone
    this.#closed = closed
    this.#child.once('error', (cause) => {
      this.#fail(new ProcessFailed(`${name} cannot run: ${cause.message}`, { cause }))
      resolveGone()
      resolveClosed()
    })
    this.#child.once('exit', () => resolveGone())
    this.#child.once('close', () => {
      if (!this.#isExpected) this.#fail(this.#createExitError())
      resolveClosed()
    })
    if (message !== undefined) this.#child.send(message)
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** The exit code or the signal that ended the process; undefined while it runs. */
  get status(): number | NodeJS.Signals | undefined {
    return this.#child.exitCode ?? this.#child.signalCode ?? undefined
  }

  /** A signal that is aborted with a `ProcessFailed` if the process exits on its own. */
  get ended(): AbortSignal {
    return this.#ended.signal
  }

  /** Returns the latest output of both streams. */
  readOutput(): string {
    return this.#newest
  }

  /** Returns the first output of one stream. */
  readFirstOutput(stream: Stream): string {
    return this.#beginning[stream]
  }

  onOutput(listener: (text: string, stream: Stream) => void) {
    this.#listeners.push(listener)
  }

  /**
   * Resolves when the process has printed a text on one of its streams. Rejects with `ProcessFailed` if it exits first
   * or takes too long.
   */
  waitForText(text: string, stream: Stream, waiting: Waiting): Promise<void> {
    return this.#waitUntil(waiting, (resolve) => {
      let last = ''
      const checkText = (more: string, source: Stream) => {
        if (source !== stream) return
        last = (last + more).slice(-Math.max(text.length * 2, more.length + text.length))
        if (last.includes(text)) resolve()
      }
      this.onOutput(checkText)
      checkText(this.#beginning[stream], stream)
    })
  }

  /** Resolves with the first message of the process. Rejects like `waitForText`. */
  waitForMessage<Message>(waiting: Waiting): Promise<Message> {
    return this.#waitUntil(waiting, (resolve) => this.#child.once('message', resolve))
  }

  /** Calls `listener` with each message of a process that was started with one. */
  onMessage(listener: (message: unknown) => void) {
    this.#child.on('message', listener)
  }

  /** Sends a message to a process that was started with one. A process that has just ended gets none. */
  send(message: object) {
    if (this.#child.connected) this.#child.send(message, () => undefined)
  }

  /** Writes to the standard input of a shell. */
  write(text: string) {
    this.#child.stdin?.write(text)
  }

  /** Sends a signal that does not end the process, such as SIGSTOP. */
  signal(signal: NodeJS.Signals) {
    this.#child.kill(signal)
  }

  /** Kills the process at once, like a power failure, and resolves when it has ended. */
  async kill(): Promise<void> {
    this.#endWith('SIGKILL')
    await this.#gone
  }

  /**
   * Stops the process with SIGTERM, and after a timeout with SIGKILL. Resolves when all processes that share its output
   * have ended.
   */
  async stop(): Promise<void> {
    this.#endWith('SIGTERM')
    const timer = setTimeout(() => {
      this.#endWith('SIGKILL')
      this.#child.stdout?.destroy()
      this.#child.stderr?.destroy()
    }, stopTimeoutMs)
    this.#child.stdin?.destroy()
    await this.#closed
    clearTimeout(timer)
  }

  #waitUntil<T>({ timeoutMs, signal }: Waiting, begin: (resolve: (value: T) => void) => void): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const late = `${this.#name} was not ready after ${timeoutMs / 1000} seconds. It said:\n`
    const timer = setTimeout(() => reject(new ProcessFailed(late + this.#newest)), timeoutMs)
    void this.#closed.then(() => reject(this.#failure ?? this.#createExitError()))
    if (signal?.aborted) reject(signal.reason)
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
    begin(resolve)
    return promise.finally(() => clearTimeout(timer))
  }

  /**
   * Reads one stream and keeps its output. Reads even if nobody needs the output, because a process blocks on a full
   * pipe.
   */
  #keepOutput(name: Stream) {
    this.#child[name]?.setEncoding('utf8').on('data', (text: string) => {
      this.#beginning[name] = (this.#beginning[name] + text).slice(0, maxKeptCharacters)
      this.#newest = (this.#newest + text).slice(-maxKeptCharacters)
      for (const listener of this.#listeners) listener(text, name)
    })
  }

  #createExitError(): ProcessFailed {
    return new ProcessFailed(`${this.#name} ended (${this.status}). It said:\n${this.#newest}`)
  }

  #fail(error: ProcessFailed) {
    this.#failure ??= error
    this.#ended.abort(this.#failure)
  }

  #endWith(signal: 'SIGKILL' | 'SIGTERM') {
    this.#isExpected = true
    const { pid } = this.#child
    if (pid === undefined) return
    if (!this.#isGroup) return void this.#child.kill(signal)
    try {
      process.kill(-pid, signal)
    } catch (error) {
      // The process group has ended already.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
    }
  }
}
