/**
 * The cursor of a list: where its next page begins. It is sealed, so that every process can continue a list and none
 * remembers it. It is bound to the endpoint with its path parameters, to the channel and its customer, and to the
 * filters, so that it continues the same list or none.
 */

import { z } from 'zod'
import type { Call } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import { instantField } from '../contract/fields.ts'
import type { Gateway } from '../gateway.ts'

/** Where a list continues. */
export interface Continuation {
  /** `as_of` of the first page; null if the list has none. */
  readonly asOf: string | null
  /** The number of the next page; null if the pages of the list have no numbers. */
  readonly page: number | null
  /** The place after which the page begins, in the list's own form. */
  readonly after: string
}

const sealed = z.tuple([instantField.nullable(), z.int().min(1).nullable(), z.string()])
/** A cursor of another form is not opened. */
const form = 'list 1'
/** The parameters that say which page of a list is read, and not which list. */
const placeParameters: ReadonlySet<string> = new Set(['cursor', 'page', 'page_size', 'as_of'])

/**
 * Formats the cursor of the next page of the list that the call reads. A page that is read again has the same cursor:
 * sealing costs as much as the rest of a read from memory.
 */
export function sealCursor(gateway: Gateway, call: Call, { asOf, page, after }: Continuation): string {
  const { cursors, openedCursors } = gateway.memory
  const text = JSON.stringify([asOf, page, after])
  const purpose = toPurpose(call)
  const place = `${text} ${purpose}`
  const known = cursors.get(place)
  if (known !== undefined) return known
  const cursor = gateway.secrets.seal(text, purpose)
  cursors.set(place, cursor)
  openedCursors.set(`${cursor} ${purpose}`, text)
  return cursor
}

/** Opens a cursor. Throws `VALIDATION_FAILED` if it was changed, or belongs to another list, caller or filter. */
export function openCursor(gateway: Gateway, call: Call, cursor: string): Continuation {
  try {
    const text = unsealCursor(gateway, cursor, toPurpose(call))
    const [asOf, page, after] = sealed.parse(JSON.parse(text))
    return { asOf, page, after }
  } catch {
    // Whatever a client sends as a cursor is no fault of the gateway, and is not logged as one.
    throw new GatewayError('VALIDATION_FAILED', {
      param: 'cursor',
      reason: 'invalid_field',
      say: ['cursor_foreign'],
      hint: ['hint_cursor_foreign'],
    })
  }
}

/** Unseals a cursor, unless this process has sealed it or has unsealed it before: that takes as long as the sealing. */
function unsealCursor(
  { memory: { openedCursors }, secrets }: Gateway,
  cursor: string,
  purpose: string,
): string {
  const name = `${cursor} ${purpose}`
  const known = openedCursors.get(name)
  if (known !== undefined) return known
  // A decoder ignores characters that do not belong to base64url, and unused bits at the end.
  if (Buffer.from(cursor, 'base64url').toString('base64url') !== cursor)
    throw new Error('The cursor is not in base64url.')
  const text = secrets.unseal(cursor, purpose)
  openedCursors.set(name, text)
  return text
}

/** Builds the `Link` header of the next page (RFC 8288), because CSV has no field for it. */
export function buildNextLink({ path, rawQuery }: Call, cursor: string): string[] {
  const query = new URLSearchParams(rawQuery)
  for (const name of ['page', 'as_of']) query.delete(name)
  query.set('cursor', cursor)
  return ['Link', `<${path}?${query}>; rel="next"`]
}

function toPurpose({ route, params, caller, filters = {} }: Call): string {
  const owner = caller ? [caller.channel_code, caller.customer_code] : null
  const kept = Object.entries(filters).filter(
    ([name, value]) => value !== undefined && !placeParameters.has(name),
  )
  const sorted = kept.toSorted(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([form, route, Object.entries(params), owner, sorted])
}
