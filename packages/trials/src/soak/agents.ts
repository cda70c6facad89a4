/** Agents that ask for stock and goods with the official MCP client. Each call is a connection of its own. */
import { setTimeout as wait } from 'node:timers/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { isGatewayError, TradeGateway } from '@trade-gateway/sdk'
import type { KillFinding } from '../kills/finding.ts'

const everyMs = 500
const questions = [
  { name: 'check_stock', arguments: { skus: ['PLAIN-1', 'SCARCE-1'] } },
  { name: 'find_products', arguments: { query: 'PLAIN' } },
] as const

interface AgentPlan {
  readonly baseUrl: string
  readonly account: { readonly username: string; readonly password: string }
}

/** What the agents were told. Kills make calls fail; what was served must go on to be served. */
export interface AgentCounts {
  served: number
  failed: number
  /** The number of calls that failed since the last one that was served. */
  failedSince: number
}

/** The most calls in a row that kills may make fail: those of two minutes. */
const maxFailedSince = 240

/** Finds agents that were never served, or no more towards the end. */
export function judgeAgents({ served, failed, failedSince }: AgentCounts): KillFinding[] {
  if (served > 0 && failedSince <= maxFailedSince) return []
  const story = `${served} calls were served and ${failed} failed, the last ${failedSince} of them in a row`
  return [{ kind: 'stuck', subject: 'agents', story }]
}

/** Asks in turn until `signal` is aborted. */
export async function askUntil(
  { baseUrl, account }: AgentPlan,
  counts: AgentCounts,
  signal: AbortSignal,
): Promise<void> {
  const tokens = new TradeGateway({ baseUrl, auth: account })
  for (let turn = 0; !signal.aborted; turn++) {
    const question = questions[turn % questions.length] ?? questions[0]
    const isServed = await ask(tokens, `${baseUrl}/mcp`, question, signal)
    if (signal.aborted) return
    counts[isServed ? 'served' : 'failed'] += 1
    counts.failedSince = isServed ? 0 : counts.failedSince + 1
    await wait(everyMs, undefined, { signal }).catch(() => {})
  }
}

async function ask(
  tokens: TradeGateway,
  url: string,
  question: (typeof questions)[number],
  signal: AbortSignal,
): Promise<boolean> {
  const client = new Client({ name: 'soak', version: '1.0.0' })
  try {
    const headers = { authorization: `Bearer ${await tokens.auth.token({ signal })}` }
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
    const { isError } = await client.callTool({ ...question }, { signal })
    return isError !== true
  } catch (error) {
    // A killed gateway or a refused sign-in; anything else of the SDK is a mistake of this trial.
    if (error instanceof TypeError && !isGatewayError(error) && error.cause === undefined) throw error
    return false
  } finally {
    await client.close().catch(() => {})
  }
}
