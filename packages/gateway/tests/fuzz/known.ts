/**
 * What a gateway under test has and no draw can know: tokens, and the ids of documents. A place in braces stands for each
 * of them in the text of a request, so that a kept input is right for another gateway, too.
 */
import { buyers } from '../harness.ts'
import { type RawResponse, readText } from './responses.ts'

/** Ids by which requests name what exists, as fields of responses. */
export const idNames = [
  ...(['order_id', 'dropship_order_id', 'reservation_id', 'hold_id', 'cart_id', 'shipment_id'] as const),
  ...(['endpoint_id', 'delivery_id', 'event_id', 'request_id', 'audit_id', 'document_id'] as const),
  ...(['channel_code', 'secret_id', 'jti', 'account_id', 'lockout_id', 'plan_request_id'] as const),
] as const
const tokenNames = ['channel_token', 'buyer_token', 'admin_token', 'client_id', 'client_secret'] as const
const placeNames = [...idNames, ...tokenNames, 'cursor', 'order_quote', 'dropship_quote'] as const

type PlaceName = (typeof placeNames)[number]

/** Values by the name of their place. */
export type Known = { [Name in PlaceName | 'total']?: string }

/** The channel of the buyer who signs in. */
export const ownChannel = `channel-of-${buyers[0].customer_code}`

/** The place of a total, with its quotes: an amount is a number. */
export const totalPlace = '"{total}"'

/** Returns the text that stands for a value in a request. */
export function toPlace(name: PlaceName): string {
  return `{${name}}`
}

/** Who sends a request: nobody, a channel without an account, a signed-in buyer, or the operator. */
export const signers = ['none', 'channel', 'buyer', 'admin'] as const
export type Signer = (typeof signers)[number]

/** The header with which each of them signs a request. */
export const signatures = {
  none: [],
  channel: [`Authorization: Bearer ${toPlace('channel_token')}`],
  buyer: [`Authorization: Bearer ${toPlace('buyer_token')}`],
  admin: [`X-Admin-Token: ${toPlace('admin_token')}`],
} as const satisfies Record<Signer, readonly string[]>

const isPlaceName = (name: string): name is PlaceName => placeNames.some((each) => each === name)

/** Puts the values into the text of a request. What is not known yet becomes a word that names nothing. */
export function fillPlaces(text: string, known: Known): string {
  return text
    .replaceAll(totalPlace, () => known.total ?? '1')
    .replaceAll(/\{(\w+)\}/g, (whole, name: string) => (isPlaceName(name) ? (known[name] ?? 'none') : whole))
}

const learnt: ReadonlySet<string> = new Set([...idNames, 'cursor'])
/** Values that need no escape in a path, a query or JSON. */
const plainValue = /^[\w.~-]{1,4000}$/

/**
 * Notes the ids of a response, so that later requests name what exists. Of a list, those of its first item. Leaves out
 * values that are `needed`: an operator's draws would delete the callers' own channels in no time.
 */
export function learnIds(known: Known, response: RawResponse, needed: ReadonlySet<string>): void {
  const { status, headers, body } = response
  const isJson = headers.get('content-type')?.join().startsWith('application/json')
  if (status >= 300 || body === undefined || !isJson) return
  const { data, next_cursor: cursor } = Object(JSON.parse(readText(response)))
  for (const [name, value] of listFields({ cursor, data })) {
    const isLearnt = isPlaceName(name) && learnt.has(name) && plainValue.test(value) && !needed.has(value)
    if (isLearnt) known[name] = value
  }
}

/** Lists the fields of a value, whether they are its own or of a part of it. */
function listFields(value: unknown): [name: string, value: string][] {
  const [item] = [value].flat()
  return Object.entries(Object(item)).flatMap(([name, inner]): [string, string][] =>
    typeof inner === 'object' ? listFields(inner) : [[name, String(inner)]],
  )
}
