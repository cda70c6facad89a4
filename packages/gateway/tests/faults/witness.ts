import { Follower } from '../follower.ts'
import type { CallResult, LooseJson } from '../harness.ts'
import type { Installation } from './installation.ts'
import { sendRequest } from './processes.ts'
import { computeChecksum } from './rows.ts'

/** Thrown if the gateway is away; the client then retries. */
export class Away extends Error {}

/**
 * Checks every stock response of a gateway across its restarts, and records violations: a status other than 200, a
 * version that decreases, a version with two different states, or a needless full sync.
 */
export class Witness {
  readonly violations: string[] = []
  answers = 0
  readonly #installation: Installation
  readonly #states = new Map<string, string>()
  readonly #newest = new Map<string, number>()
  #token: string
  /** Whether a full sync may be required, as after a restore. */
  mayResync = false

  constructor(installation: Installation, token: string) {
    this.#installation = installation
    this.#token = token
  }

  /**
   * The number of warehouse versions for which a checksum was seen. A later response with another checksum is a
   * violation.
   */
  get provedVersions(): number {
    return this.#states.size
  }

  /** Requests a new token, because a restore ends all tokens. */
  async signInAgain(): Promise<void> {
    this.#token = await this.#installation.requestToken()
  }

  createFollower(code: string): Follower {
    return new Follower((path) => this.get(path), code)
  }

  /** Sends a client's request. Throws `Away` if there is no response, or one with a status of 500 or above. */
  async get(path: string): Promise<CallResult> {
    const answer = await sendRequest(this.#installation.url, 'GET', path, { token: this.#token }).catch(
      (cause: unknown) => {
        throw new Away('The gateway is away.', { cause })
      },
    )
    // A process that is stopping or starting may refuse requests.
    if (answer.status >= 500) throw new Away(`The gateway answered ${answer.status}.`)
    if (answer.status !== 200)
      this.#recordViolation(`${path} was answered ${answer.status}: ${answer.text.slice(0, 300)}`)
    this.answers += 1
    const seen = parseObservation(path, answer.json)
    if (seen) this.#check(seen)
    return answer
  }

  #check({ code, latest, version, proof, full_sync }: Observation): void {
    if (full_sync !== undefined && !this.mayResync)
      this.#recordViolation(`${code}: a full sync was asked for: ${full_sync}`)
    const newest = this.#newest.get(code) ?? 0
    if (latest < newest) this.#recordViolation(`${code} went back from ${newest} to ${latest}`)
    this.#newest.set(code, Math.max(newest, latest))
    if (!proof) return
    const key = `${code}@${version}`
    const before = this.#states.get(key) ?? proof
    if (before !== proof) this.#recordViolation(`${key} stood for ${before} and for ${proof}`)
    this.#states.set(key, before)
  }

  #recordViolation(what: string): void {
    this.violations.push(what)
  }
}

interface Observation {
  readonly code: string
  readonly latest: number
  readonly version: number
  /** The number of rows and the checksum of the version, if the response has them. */
  readonly proof: string | undefined
  readonly full_sync?: string
}

function parseObservation(path: string, json: LooseJson): Observation | undefined {
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
  return {
    code,
    latest: version,
    version,
    proof: isWhole ? `${data.length} ${computeChecksum(data)}` : undefined,
  }
}
