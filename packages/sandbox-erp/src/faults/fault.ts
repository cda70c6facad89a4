/** The faults that `X-Sandbox-Fault` can inject into one call. */

/** The codes, each with its effect and what the caller observes. */
const codes = {
  /** Fails; with `after=commit` only after performing the operation. */
  UPSTREAM_ERROR: 'fails',
  /** Never responds; with `after=commit` performs the operation first. */
  UPSTREAM_TIMEOUT: 'hangs',
  /** Refuses without performing the operation. */
  UPSTREAM_REJECTED: 'refuses',
  /** Waits, then performs the operation and responds. */
  SLOW: 'waits',
  /** Performs the operation and breaks the connection in the middle of the response. */
  CUT: 'cuts',
  /** Performs the operation twice and returns the second result, as if the network had duplicated the request. */
  DUPLICATE: 'repeats',
  /** Never responds, and performs the operation after a delay. */
  LATE: 'delays',
} as const

export type FaultCode = keyof typeof codes

export const faultCodes: readonly string[] = Object.keys(codes)

/** The codes that the gateway reproduces itself, so that no call with them reaches the ERP. */
const codesOfGateway = ['INTERNAL', 'AUTHZ_UNAVAILABLE'] as const

export interface Fault {
  readonly code: FaultCode
  readonly isAfterCommit: boolean
  /** The number of affected calls; null means all. */
  readonly times: number | null
  readonly delay_ms: number | null
}

/** The error for a text that is not a valid fault. Its message describes the syntax. */
export class MalformedFault extends Error {}

const maxTimes = 1_000
const maxDelayMs = 60_000

/** Parses `<CODE>[;after=commit][;times=n][;delay=ms]`. Throws `MalformedFault`. */
export function parseFault(text: string): Fault {
  const [code = '', ...settings] = text.split(';').map((part) => part.trim())
  if (!isCode(code)) throw createMalformedFaultError(`there is no fault ${code.slice(0, 40)}`)
  let fault: Fault = { code, isAfterCommit: false, times: null, delay_ms: null }
  for (const setting of settings) fault = { ...fault, ...parseSetting(setting) }
  const canBeAfter = code === 'UPSTREAM_ERROR' || code === 'UPSTREAM_TIMEOUT'
  if (fault.isAfterCommit && !canBeAfter) throw createMalformedFaultError(`${code} has no after=commit`)
  const canWait = code === 'SLOW' || code === 'LATE'
  if (fault.delay_ms !== null && !canWait) throw createMalformedFaultError(`${code} has no delay`)
  return fault
}

function parseSetting(setting: string): Partial<Fault> {
  if (setting === 'after=commit') return { isAfterCommit: true }
  const [, name, digits] = /^(times|delay)=(\d{1,9})$/.exec(setting) ?? []
  const value = Number(digits)
  if (name === 'times' && value >= 1 && value <= maxTimes) return { times: value }
  if (name === 'delay' && value <= maxDelayMs) return { delay_ms: value }
  throw createMalformedFaultError(`"${setting.slice(0, 40)}" is not a setting`)
}

function createMalformedFaultError(reason: string): MalformedFault {
  return new MalformedFault(
    `A fault is <CODE>[;after=commit][;times=1…${maxTimes}][;delay=0…${maxDelayMs}] with one of the codes ` +
      `${faultCodes.join(', ')}, or of the gateway itself, ${codesOfGateway.join(' or ')}; ${reason}.`,
  )
}

function isCode(word: string): word is FaultCode {
  return Object.hasOwn(codes, word)
}
