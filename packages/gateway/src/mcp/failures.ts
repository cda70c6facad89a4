import { ProtocolError } from '@modelcontextprotocol/server'
import type { ApiResponse, Call } from '../contract/call.ts'
import type { Language } from '../contract/language.ts'
import type { SentenceId } from '../contract/texts/en.ts'
import { formatSentence, texts } from '../contract/texts/texts.ts'
import type { Gateway } from '../gateway.ts'
import { toFailureResponse } from '../pipeline/failure.ts'
import { readHeader } from '../pipeline/in-process.ts'
import { chargeRefusal } from '../pipeline/refusals.ts'
import type { Action } from './action.ts'
import { EndpointFailure } from './action-context.ts'
import { describeError, type ErrorEnvelope, readErrorEnvelope } from './wording.ts'

/** The result of an action that failed: text for the model, without structured content. */
export interface ToolFailure {
  readonly content: { readonly type: 'text'; readonly text: string }[]
  readonly isError: true
  readonly [more: string]: unknown
}

/** What a failure needs to know of its message. */
export interface FailedMessage {
  readonly gateway: Gateway
  readonly call: Call
  /** The points that this message was charged. The call has those of all messages of a batch. */
  readonly points: number
}

export async function toToolFailure(
  message: FailedMessage,
  action: Action | undefined,
  error: unknown,
): Promise<ToolFailure> {
  const { text } = await describeFailure(message, action, error)
  return { content: [{ type: 'text', text }], isError: true }
}

/**
 * JSON-RPC's code of a request that was understood and refused, of those that it leaves to servers (§5.1). MCP and its
 * SDKs use -32000, for a closed connection, and others, but not this one.
 */
const refusedCode = -32_010

/** Converts the failure of a request without an action to JSON-RPC: the text for the model, and the envelope as data. */
export async function toProtocolFailure(message: FailedMessage, error: unknown): Promise<ProtocolError> {
  if (error instanceof ProtocolError) return error
  const { text, envelope } = await describeFailure(message, undefined, error)
  return new ProtocolError(refusedCode, text, envelope)
}

interface DescribedFailure {
  readonly text: string
  readonly envelope: ErrorEnvelope
}

async function describeFailure(
  message: FailedMessage,
  action: Action | undefined,
  error: unknown,
): Promise<DescribedFailure> {
  const { gateway, call } = message
  const response = await toResponse(message, error)
  const envelope = readErrorEnvelope(response)
  const adapted = { ...envelope, ...adaptForAgents(envelope, call.language, action) }
  const { code } = envelope
  gateway.log.info(
    {
      request_id: call.requestId,
      code,
      ...(action ? { action: action.name } : {}),
      ...(call.caller ? { channel_code: call.caller.channel_code } : {}),
    },
    action ? 'an agent’s action failed' : 'an agent’s request failed',
  )
  return { text: describeError(adapted, readHeader(response, 'retry-after')), envelope }
}

async function toResponse({ gateway, call, points }: FailedMessage, error: unknown): Promise<ApiResponse> {
  if (error instanceof EndpointFailure) return error.response
  return toFailureResponse(await chargeRefusal(gateway, call, error, points), call, (fault) => {
    gateway.log.error({ request_id: call.requestId, error: fault }, 'an action failed inside')
  })
}

/**
 * Replaces message and hint where an agent must act differently from a program: it repeats the action instead of
 * sending an idempotency key, and quotes again instead of previewing again.
 */
function adaptForAgents({ code, reason }: ErrorEnvelope, language: Language, action: Action | undefined) {
  const hint = (id: SentenceId) => ({ hint: formatSentence(language, id) })
  if (reason === 'price_changed' || reason === 'hold_expired') return hint('hint_quote_again')
  if (action === undefined || action.name === 'call_endpoint') return {}
  if (reason === 'insufficient_stock') return hint('hint_quote_less')
  if (code === 'IDEMPOTENCY_IN_PROGRESS') {
    return { message: formatSentence(language, 'call_running'), ...hint('hint_call_again') }
  }
  // With a reason, the gateway refused the call because of its own load or its database, and nothing was done.
  if (code === 'INTERNAL' && reason !== undefined) return hint('hint_call_later')
  if (code !== 'UPSTREAM_ERROR' && code !== 'UPSTREAM_TIMEOUT') return {}
  if (reason !== 'upstream_unknown') return hint('hint_call_later')
  return { message: texts[language].errors[code].message, ...hint('hint_call_again') }
}
