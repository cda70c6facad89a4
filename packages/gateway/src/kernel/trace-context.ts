/** W3C Trace Context (https://www.w3.org/TR/trace-context/): the header `traceparent`. */

/** A place in a trace: the span that causes what follows. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
  /** Whether the caller records the trace. */
  readonly isSampled: boolean
}

const pattern = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/
const zeros = /^0+$/
const invalidVersion = 'ff'
const firstVersion = '00'
const sampledFlag = 1
const maxCharacters = 512

/**
 * Parses the values of the header. Returns undefined if it was not sent once or is not valid; the trace then begins
 * anew, as the standard demands. A later version may have more fields at the end, the first version may not.
 */
export function parseTraceParent(values: readonly unknown[] | undefined): TraceContext | undefined {
  const [sent, ...more] = values ?? []
  if (typeof sent !== 'string' || more.length > 0 || sent.length > maxCharacters) return undefined
  const [, version = invalidVersion, traceId = '', spanId = '', flags = '', rest] = pattern.exec(sent) ?? []
  if (version === invalidVersion || (version === firstVersion && rest !== undefined)) return undefined
  if (zeros.test(traceId) || zeros.test(spanId)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & sampledFlag) === sampledFlag }
}

/** Formats the header in its first version. */
export function formatTraceParent({ traceId, spanId, isSampled }: TraceContext): string {
  return `${firstVersion}-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}
