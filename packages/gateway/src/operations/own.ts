import type { Caller } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'

/** The row, if there is one and it is the caller's. Throws `NOT_FOUND` and `OWNERSHIP_DENIED`. */
export function owned<Row extends { readonly channel_code: string }>(
  row: Row | undefined,
  caller: Caller,
  what: string,
  id: string,
): Row {
  if (!row) throw new GatewayError('NOT_FOUND', { say: ['document_unknown', { what, id }] })
  if (row.channel_code !== caller.channel_code) throw new GatewayError('OWNERSHIP_DENIED')
  return row
}
