import type { Answer, Call } from '../contract/call.ts'
import type { Language } from '../contract/language.ts'
import type { SentenceId } from '../contract/texts/en.ts'
import { sentence, texts } from '../contract/texts/texts.ts'
import type { Gateway } from '../gateway.ts'
import { failureAnswer } from '../http/failure.ts'
import { headerOf } from '../http/in-process.ts'
import type { Action } from './action.ts'
import { Refusal } from './visit.ts'
import { type Envelope, envelopeOf, errorText } from './wording.ts'

/** What a client is told of an action that failed: words that its model can read, and no structure to trip over. */
export interface Failed {
  readonly content: { readonly type: 'text'; readonly text: string }[]
  readonly isError: true
  readonly [more: string]: unknown
}

export function failed(gateway: Gateway, call: Call, action: Action | undefined, error: unknown): Failed {
  const answer = answerOf(gateway, call, error)
  const envelope = envelopeOf(answer)
  const told = { ...envelope, ...agentWords(envelope, call.language, action) }
  const { code } = envelope
  gateway.log.info(
    {
      request_id: call.requestId,
      code,
      ...(action ? { action: action.name } : {}),
      ...(call.caller ? { channel_code: call.caller.channel_code } : {}),
    },
    'an agent’s action failed',
  )
  return {
    content: [{ type: 'text', text: errorText(told, headerOf(answer, 'retry-after')) }],
    isError: true,
  }
}

function answerOf(gateway: Gateway, call: Call, error: unknown): Answer {
  if (error instanceof Refusal) return error.answer
  return failureAnswer(error, call, (fault) => {
    gateway.log.error({ request_id: call.requestId, error: fault }, 'an action failed inside')
  })
}

/** An agent quotes again and calls again where a program would preview again and send its key again. */
function agentWords({ code, reason }: Envelope, language: Language, action: Action | undefined) {
  const hint = (id: SentenceId) => ({ hint: sentence(language, id) })
  if (reason === 'price_changed' || reason === 'hold_expired') return hint('hint_quote_again')
  if (action === undefined || action.name === 'call_endpoint') return {}
  if (code === 'IDEMPOTENCY_IN_PROGRESS') {
    return { message: sentence(language, 'call_running'), ...hint('hint_call_again') }
  }
  if (code !== 'UPSTREAM_ERROR' && code !== 'UPSTREAM_TIMEOUT') return {}
  if (reason !== 'upstream_unknown') return hint('hint_call_later')
  return { message: texts[language].errors[code].message, ...hint('hint_call_again') }
}
