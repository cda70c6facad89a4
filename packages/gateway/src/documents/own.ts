import type { Caller } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import { toNotFoundError } from '../contract/not-found.ts'
import type { Thing } from '../contract/texts/en.ts'

/** Returns the row if it exists and is the caller's. Throws `NOT_FOUND` and `OWNERSHIP_DENIED`. */
export function requireOwned<Row extends { readonly channel_code: string }>(
  row: Row | undefined,
  caller: Caller,
  thing: Thing,
  id: string,
): Row {
  if (!row) throw toNotFoundError(thing, id)
  if (row.channel_code !== caller.channel_code) throw new GatewayError('OWNERSHIP_DENIED')
  return row
}
