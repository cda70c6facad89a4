/**
 * The cursor of a statement list: where its next page begins, with the ERP's own cursor. It is encrypted, and only the
 * same channel can use it, with the same list and filters. So every process can continue a list, and none remembers it.
 */

import { z } from 'zod'
import type { Caller } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import { instantField } from '../contract/fields.ts'
import type { Gateway } from '../gateway.ts'
import type { Place, StatementQuery } from './span.ts'

const place = z.tuple([instantField, z.int().min(1), z.int().min(0), z.string().nullable()])

interface CursorOwner {
  readonly gateway: Gateway
  readonly caller: Caller
  readonly input: StatementQuery
}

export function formatCursor(
  owner: CursorOwner,
  list: string,
  { as_of, page, offset, after }: Place,
): string {
  return owner.gateway.secrets.seal(JSON.stringify([as_of, page, offset, after]), toPurpose(owner, list))
}

/** Parses a cursor. Throws `VALIDATION_FAILED` if it was changed, or belongs to another channel, list or filter. */
export function parseCursor(owner: CursorOwner, list: string, cursor: string): Place {
  try {
    const text = owner.gateway.secrets.unseal(cursor, toPurpose(owner, list))
    const [as_of, page, offset, after] = place.parse(JSON.parse(text))
    return { as_of, page, offset, after }
  } catch (cause) {
    throw new GatewayError('VALIDATION_FAILED', { param: 'cursor', reason: 'invalid_field', cause })
  }
}

function toPurpose({ caller, input }: CursorOwner, list: string): string {
  const { start_date, end_date, currency, status } = input
  return JSON.stringify(['statement', caller.channel_code, list, start_date, end_date, currency, status])
}
