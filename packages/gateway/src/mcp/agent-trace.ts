import type { Call } from '../contract/call.ts'
import type { Gateway } from '../gateway.ts'
import { parseTraceParent } from '../kernel/trace-context.ts'

interface AgentStep {
  /** The name of a known tool. */
  readonly tool: string
  /** `_meta.traceparent` of the message, of any type. */
  readonly traceparent: unknown
}

/**
 * Runs the call of a tool in the agent's trace, if the message has one. A message carries its own trace, because the
 * HTTP request may come from a proxy of several agents. A `traceparent` of the HTTP request takes precedence.
 */
export async function runInAgentTrace<T>(
  { gateway, call }: { readonly gateway: Gateway; readonly call: Call },
  { tool, traceparent }: AgentStep,
  work: () => Promise<T>,
): Promise<T> {
  const parent = call.header('traceparent').length === 0 ? parseTraceParent([traceparent]) : undefined
  if (!parent) return work()
  const span = gateway.memory.tracing.spans.start({ name: `tools/call ${tool}`, kind: 'server', parent })
  call.trace = span?.context ?? parent
  try {
    return await work()
  } finally {
    span?.end({ attributes: { request_id: call.requestId, tool } })
  }
}
