import { type ErrorFacts, GatewayError } from './errors.ts'
import type { Thing } from './texts/en.ts'

/** That there is no such thing. */
export function notFound(
  thing: Thing,
  id: string,
  more: Pick<ErrorFacts, 'param' | 'hint'> = {},
): GatewayError {
  return new GatewayError('NOT_FOUND', { ...more, say: ['thing_unknown', { what: { thing }, id }] })
}
