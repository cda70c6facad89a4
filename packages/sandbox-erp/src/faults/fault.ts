/** What can go wrong with one call, as `X-Sandbox-Fault` says it. */

/** By code: what is done, and what the caller gets to see. */
const codes = {
  /** Fails. With `after=commit` it was done before. */
  UPSTREAM_ERROR: 'fails',
  /** Never answers. With `after=commit` it was done before. */
  UPSTREAM_TIMEOUT: 'hangs',
  /** Refuses before anything is done. */
  UPSTREAM_REJECTED: 'refuses',
  /** Waits, then does it and answers. */
  SLOW: 'waits',
  /** Does it, and breaks the connection in the middle of the answer. */
  CUT: 'cuts',
  /** Does it twice and gives the second answer, as when a network delivers a request again. */
  DUPLICATE: 'repeats',
  /** Never answers, and does it some time after the caller began to wait. */
  LATE: 'delays',
} as const

export type FaultCode = keyof typeof codes

export const faultCodes: readonly string[] = Object.keys(codes)

export interface Fault {
  readonly code: FaultCode
  readonly isAfterCommit: boolean
  /** How many calls it strikes; null: each. */
  readonly times: number | null
  readonly delay_ms: number | null
}

/** The text is no fault; the message says what one looks like. */
export class MalformedFault extends Error {}

const mostTimes = 1_000
const mostDelayMs = 60_000

/** Reads `<CODE>[;after=commit][;times=n][;delay=ms]`. Throws `MalformedFault`. */
export function faultFrom(text: string): Fault {
  const [code = '', ...settings] = text.split(';').map((part) => part.trim())
  if (!isCode(code)) throw malformed(`there is no fault ${code.slice(0, 40)}`)
  let fault: Fault = { code, isAfterCommit: false, times: null, delay_ms: null }
  for (const setting of settings) fault = { ...fault, ...settingFrom(setting) }
  const canBeAfter = code === 'UPSTREAM_ERROR' || code === 'UPSTREAM_TIMEOUT'
  if (fault.isAfterCommit && !canBeAfter) throw malformed(`${code} has no after=commit`)
  const canWait = code === 'SLOW' || code === 'LATE'
  if (fault.delay_ms !== null && !canWait) throw malformed(`${code} has no delay`)
  return fault
}

function settingFrom(setting: string): Partial<Fault> {
  if (setting === 'after=commit') return { isAfterCommit: true }
  const [, name, digits] = /^(times|delay)=(\d{1,9})$/.exec(setting) ?? []
  const value = Number(digits)
  if (name === 'times' && value >= 1 && value <= mostTimes) return { times: value }
  if (name === 'delay' && value <= mostDelayMs) return { delay_ms: value }
  throw malformed(`"${setting.slice(0, 40)}" is no setting`)
}

function malformed(reason: string): MalformedFault {
  return new MalformedFault(
    `A fault is <CODE>[;after=commit][;times=1…${mostTimes}][;delay=0…${mostDelayMs}] with one of the codes ` +
      `${faultCodes.join(', ')}; ${reason}.`,
  )
}

function isCode(word: string): word is FaultCode {
  return Object.hasOwn(codes, word)
}
