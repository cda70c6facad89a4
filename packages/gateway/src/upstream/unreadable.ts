import { UnknownOutcome } from '@trade-gateway/connector'

/**
 * Returns the error if the ERP answered, but not with the rows or documents that were asked for. Throws any other: then
 * none can be read.
 */
export function catchUnreadable(error: unknown): UnknownOutcome {
  if (error instanceof UnknownOutcome && (error.kind === 'malformed' || error.kind === 'failed')) return error
  throw error
}
