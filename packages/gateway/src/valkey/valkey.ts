/**
 * What the processes of an installation share in a Valkey or Redis server. Nothing depends on the server: a script that
 * does not respond in time, or a connection that is lost, counts as "away". The process then decides by itself until
 * the server responds again, which it tries every second.
 */

import { Deadline } from '../kernel/deadline.ts'
import type { Ids } from '../kernel/ids.ts'
import type { Log } from '../kernel/log.ts'
import { loadClient, openClient, type ValkeyClient } from './client.ts'
import { describeScript, type Script } from './script.ts'

/** The longest wait for the server's response to a script, after which the process decides by itself. */
const maxWaitMs = 50
/** The longest time to connect, with TLS, sign-in and the first script. */
const maxOpenMs = 2_000
/** The pause between two attempts to connect. */
const retryMs = 1_000
const maxReasonCharacters = 200

/** The server did not respond, and the process has to decide by itself. */
export class ValkeyAway extends Error {}

export interface ValkeyParts {
  readonly url: string
  /** The id of the installation, with which every key begins, because installations may share a server. */
  readonly installation: string
  readonly log: Log
  /** Generates marks of the server's data. */
  readonly ids: Ids
  /** Replaces `maxWaitMs` in tests of exact counts, on machines that stop for longer. */
  readonly waitMs?: number
}

export class Valkey {
  readonly #parts: ValkeyParts
  /** The server's host and port, without credentials. */
  readonly #host: string
  #client: ValkeyClient | undefined
  /** Rejects the scripts that wait for their response. */
  readonly #waiting = new Set<(error: ValkeyAway) => void>()
  #retry: NodeJS.Timeout | undefined
  #isClosed = false
  #reason: string | undefined
  #outages = 0
  #generation = ''
  /** Where to connect, each attempt to the next one: `VALKEY_URL`, and the nodes of the cluster that were known last. */
  #seeds: readonly string[]
  #attempts = 0

  private constructor(parts: ValkeyParts) {
    this.#parts = parts
    this.#host = new URL(parts.url).host
    this.#seeds = [parts.url]
  }

  /** Connects once. If that fails, goes on without the server and tries again every second. */
  static async open(parts: ValkeyParts): Promise<Valkey> {
    const valkey = new Valkey(parts)
    // Loading the client takes a while, which is no delay of the server's.
    await loadClient()
    await valkey.#connect()
    return valkey
  }

  get isConnected(): boolean {
    return this.#client !== undefined
  }

  get isCluster(): boolean {
    return this.#client?.isCluster ?? false
  }

  /** Why the server is away, without credentials; undefined while it responds. */
  get reason(): string | undefined {
    return this.#reason
  }

  /** The number of times that the server went away. */
  get outages(): number {
    return this.#outages
  }

  /** Identifies the server's data. It changes if the server lost them, for example by a restart. */
  get generation(): string {
    return this.#generation
  }

  /** Builds the name of a key. */
  toKey(kind: string, subject: string): string {
    return `tgw:${this.#parts.installation}:${kind}:${subject}`
  }

  /** Runs a script. All its keys must be in one slot of a cluster. Throws `ValkeyAway`. */
  run(script: Script, keys: readonly string[], values: readonly string[]): Promise<unknown> {
    const client = this.#client
    if (!client) return Promise.reject(new ValkeyAway(this.#reason))
    const { waitMs = maxWaitMs } = this.#parts
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#waiting.add(reject)
    const timer = setTimeout(() => {
      // A response that arrived while the event loop was busy is read before the check.
      setImmediate(() => {
        if (this.#waiting.has(reject)) this.#drop(client, `no response within ${waitMs} ms`)
      })
    }, waitMs)
    const end = () => {
      clearTimeout(timer)
      return this.#waiting.delete(reject)
    }
    runScript(client, script, { keys, values }).then(
      (reply) => {
        if (end()) resolve(reply)
      },
      (error: unknown) => {
        if (end()) reject(new ValkeyAway(describeFailure(error)))
        this.#drop(client, describeFailure(error))
      },
    )
    return promise
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#retry)
    this.#client?.destroy()
    this.#client = undefined
    this.#rejectWaiting('the process stops')
  }

  async #connect(): Promise<void> {
    const deadline = Deadline.after(maxOpenMs)
    let client: ValkeyClient | undefined
    let lost: unknown
    const onError = (error: unknown) => {
      lost = error
      if (client) this.#drop(client, describeFailure(error))
    }
    try {
      client = await openClient({ url: this.#nextSeed(), onError, signal: deadline.signal })
      const generation = await this.#probe(client, deadline.signal)
      if (lost !== undefined) throw lost
      this.#welcome(client, generation)
    } catch (error) {
      client?.destroy()
      this.#note(describeFailure(deadline.signal.aborted ? deadline.signal.reason : error))
    } finally {
      deadline.end()
    }
  }

  #nextSeed(): string {
    const seed = this.#seeds[this.#attempts % this.#seeds.length]
    this.#attempts += 1
    return seed ?? this.#parts.url
  }

  /** Marks the server's data, unless they are marked, and returns the mark. */
  async #probe(client: ValkeyClient, signal: AbortSignal): Promise<string> {
    const stop = () => client.destroy()
    signal.addEventListener('abort', stop, { once: true })
    const input = { keys: [this.toKey('generation', '')], values: [this.#parts.ids.next('gen')] }
    try {
      return String(await runScript(client, markScript, input))
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  #welcome(client: ValkeyClient, generation: string) {
    if (this.#isClosed) return client.destroy()
    if (this.#reason !== undefined)
      this.#parts.log.info({}, `the server at ${this.#host} (VALKEY_URL) responds again; counts are shared`)
    this.#reason = undefined
    this.#generation = generation
    this.#client = client
    this.#seeds = [...new Set([this.#parts.url, ...client.listNodes()])]
    this.#attempts = 0
  }

  #drop(client: ValkeyClient, reason: string) {
    if (this.#client !== client) return
    this.#client = undefined
    client.destroy()
    this.#note(reason)
    this.#rejectWaiting(reason)
  }

  /** Notes that the server is away and plans the next attempt. Only the first reason of an outage is logged. */
  #note(reason: string) {
    if (this.#isClosed) return
    if (this.#reason === undefined) {
      this.#outages += 1
      this.#parts.log.warn(
        { error: reason },
        `the server at ${this.#host} (VALKEY_URL) is away; this process decides by its own share until it responds`,
      )
    }
    this.#reason = reason
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => this.#connect(), retryMs).unref()
  }

  #rejectWaiting(reason: string) {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const reject of waiting) reject(new ValkeyAway(reason))
  }
}

/** Waits for the result of a script; undefined while the server is away. */
export async function unlessAway<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof ValkeyAway) return undefined
    throw error
  }
}

interface ScriptInput {
  readonly keys: readonly string[]
  readonly values: readonly string[]
}

/** Runs a script by its hash, or with its text if the server does not know it yet. */
async function runScript(client: ValkeyClient, { text, sha1 }: Script, { keys, values }: ScriptInput) {
  const [first = ''] = keys
  const rest = [String(keys.length), ...keys, ...values]
  try {
    return await client.send(first, ['EVALSHA', sha1, ...rest])
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
    return client.send(first, ['EVAL', text, ...rest])
  }
}

/** Marks the server's data, unless they are marked, and returns the mark. Fails where the server is not writable. */
const markScript = describeScript(`
redis.call('TIME')
redis.call('SET', KEYS[1], ARGV[1], 'NX')
return redis.call('GET', KEYS[1])
`)

/** Describes a failure for operators: the server's own words, or the system's code. Neither has credentials. */
function describeFailure(error: unknown): string {
  const { code, message }: { code?: unknown; message?: unknown } = Object(error)
  const words = typeof code === 'string' && code !== '' ? code : String(message ?? error)
  return words.slice(0, maxReasonCharacters)
}
