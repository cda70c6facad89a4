import type { Call } from '../contract/call.ts'
import type { Gateway } from '../gateway.ts'

interface Operation<T> {
  readonly method: string
  /** The name of a known tool; empty for other methods. */
  readonly tool?: string
  /** Whether a result is a failure of the tool. */
  readonly isFailure?: (result: T) => boolean
}

/** Protocol revisions that have a label of their own. A client could send any text. */
const knownVersions: ReadonlySet<string> = new Set(['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'])

/** Runs an operation of the protocol and measures its duration and its outcome. */
export async function measureOperation<T>(
  { gateway, call }: { readonly gateway: Gateway; readonly call: Call },
  { method, tool = '', isFailure }: Operation<T>,
  work: () => T | Promise<T>,
): Promise<T> {
  const began = gateway.clock.monotonic()
  let errorType = 'error'
  try {
    const result = await work()
    errorType = isFailure?.(result) ? 'tool_error' : ''
    return result
  } finally {
    const [version = ''] = call.header('mcp-protocol-version')
    const protocolVersion = knownVersions.has(version) ? version : 'other'
    const seconds = (gateway.clock.monotonic() - began) / 1000
    gateway.memory.metrics.endAgentOperation({ method, tool, errorType, protocolVersion }, seconds)
  }
}
