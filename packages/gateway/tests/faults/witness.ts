import { Follower } from '../follower.ts'
import type { Loose, Result } from '../harness.ts'
import type { Installation } from './installation.ts'
import { ask } from './processes.ts'
import { checksumOf } from './rows.ts'

/** Where a client's calls go wrong because the gateway is away; the client asks again. */
export class Away extends Error {}

/**
 * Sees every answer of a gateway about stock, across all of its lives, and writes down what should never be: a
 * version that goes back, one version that stands for two states, a full sync that is asked for without need.
 */
export class Witness {
  readonly violations: string[] = []
  answers = 0
  readonly #installation: Installation
  readonly #states = new Map<string, string>()
  readonly #newest = new Map<string, number>()
  readonly #token: string
  /** Whether a full sync may be asked for: after a restore. */
  mayResync = false

  constructor(installation: Installation, token: string) {
    this.#installation = installation
    this.#token = token
  }

  /** How many versions were proved. */
  get proved(): number {
    return this.#states.size
  }

  follower(code: string): Follower {
    return new Follower((path) => this.get(path), code)
  }

  /** A call of the client. Throws `Away` where it is not answered. */
  async get(path: string): Promise<Result> {
    const answer = await ask(this.#installation.url, 'GET', path, { token: this.#token }).catch(
      (cause: unknown) => {
        throw new Away('The gateway is away.', { cause })
      },
    )
    // A process that is stopping or starting may answer that it cannot.
    if (answer.status >= 500) throw new Away(`The gateway answered ${answer.status}.`)
    if (answer.status !== 200)
      this.#violated(`${path} was answered ${answer.status}: ${answer.text.slice(0, 300)}`)
    this.answers += 1
    const seen = observed(path, answer.json)
    if (seen) this.#check(seen)
    return answer
  }

  #check({ code, latest, version, proof, full_sync }: Observation): void {
    if (full_sync !== undefined && !this.mayResync)
      this.#violated(`${code}: a full sync was asked for: ${full_sync}`)
    const newest = this.#newest.get(code) ?? 0
    if (latest < newest) this.#violated(`${code} went back from ${newest} to ${latest}`)
    this.#newest.set(code, Math.max(newest, latest))
    if (!proof) return
    const key = `${code}@${version}`
    const before = this.#states.get(key) ?? proof
    if (before !== proof) this.#violated(`${key} stood for ${before} and for ${proof}`)
    this.#states.set(key, before)
  }

  #violated(what: string): void {
    this.violations.push(what)
  }
}

interface Observation {
  readonly code: string
  readonly latest: number
  readonly version: number
  /** Rows and checksum of the version, where the answer tells them. */
  readonly proof: string | undefined
  readonly full_sync?: string
}

function observed(path: string, json: Loose): Observation | undefined {
  const [, code = '', what = ''] = /warehouses\/([^/]+)\/(stock[^?]*)/.exec(path) ?? []
  if (what === 'stock/checksum') {
    const { version, row_count, checksum } = json.data
    return { code, latest: version, version, proof: `${row_count} ${checksum}` }
  }
  if (what === 'stock/changes') {
    const { version, latest, row_count, checksum, full_sync_reason } = json
    const proof = checksum === undefined ? undefined : `${row_count} ${checksum}`
    return { code, latest, version, proof, ...(json.needs_full_sync ? { full_sync: full_sync_reason } : {}) }
  }
  if (what !== 'stock') return undefined
  const { version, page, data } = json
  const isWhole = page === undefined
  return { code, latest: version, version, proof: isWhole ? `${data.length} ${checksumOf(data)}` : undefined }
}
