import { type ErrorFacts, GatewayError } from './errors.ts'
import type { Thing } from './texts/en.ts'

/** Creates the error for an object that does not exist. */
export function toNotFoundError(
  thing: Thing,
  id: string,
  more: Pick<ErrorFacts, 'param' | 'hint'> = {},
): GatewayError {
  return new GatewayError('NOT_FOUND', { ...more, say: ['thing_unknown', { what: { thing }, id }] })
}
