/**
 * How the recipient of a drop-ship order rests in the database. The recipient and the remark are sealed together with
 * `SECRETS_KEY`. Beside them stands an HMAC of name and phone, by which a person's orders are found without a name at
 * rest; the same key makes both, and `reseal.ts` replaces both together.
 *
 * Rows from before the recipients were sealed are read as they are, until `seal-plain.ts` seals them. A process of the
 * version before cannot read a sealed row, so nothing is sealed before `recipientsSealedFrom`
 * (`store/recipient-sealing.ts`, decision 058).
 */

import type { Gateway } from '../gateway.ts'
import type { Secrets } from '../kernel/secrets.ts'
import { isSealingRecipients } from '../memory.ts'
import { toJson } from '../store/json.ts'
import { describeSealedColumn } from '../store/sealed-column.ts'
import type { DropshipRow, ErasedRecipient, Recipient } from '../store/tables.ts'
import { toPersonText, toRecipientKey, toRecipientText } from './recipient.ts'

/** The parts of the gateway that seal. */
export type Sealing = Pick<Gateway, 'secrets' | 'clock' | 'memory'>

/** What is sealed together. */
export interface RecipientContent {
  readonly recipient: Recipient
  readonly remark: string | null
}

/** The row that a recipient belongs to. Its sealed value can be opened for this row and this channel only. */
export type Owner = Pick<DropshipRow, 'dropship_order_id' | 'channel_code'>

/** The columns that contain a recipient. */
export type RecipientAtRest = Pick<DropshipRow, 'recipient' | 'recipient_key' | 'recipient_index' | 'remark'>

type StoredRecipient = Owner & Pick<RecipientAtRest, 'recipient' | 'remark'>

/** Builds the columns of a recipient for the database: sealed, or plain while processes of the version before run. */
export function toRecipientAtRest(
  gateway: Sealing,
  owner: Owner,
  content: RecipientContent,
): RecipientAtRest {
  if (isSealingRecipients(gateway)) return seal(gateway.secrets, owner, content)
  const { recipient, remark } = content
  const recipient_key = toRecipientKey(recipient)
  return { recipient: toJson(recipient), recipient_key, recipient_index: null, remark }
}

function seal(secrets: Secrets, owner: Owner, content: RecipientContent): RecipientAtRest {
  return {
    recipient: secrets.seal(JSON.stringify(content), toPurpose(owner)),
    recipient_key: '',
    recipient_index: secrets.sign(toPersonText(content.recipient), indexPurpose),
    remark: null,
  }
}

/** Reads the recipient and the remark of a row in any of its forms. Throws if no given key opens it. */
export function openRecipient(
  { secrets }: Pick<Gateway, 'secrets'>,
  row: StoredRecipient,
): { readonly recipient: Recipient | ErasedRecipient; readonly remark: string | null } {
  const { recipient, remark } = row
  if (isSealed(recipient)) return JSON.parse(secrets.unseal(recipient, toPurpose(row)))
  return { recipient: JSON.parse(recipient), remark }
}

/**
 * Builds the columns of a recipient again, with the present key. What an open write kept of its row is written back like
 * this: a sweep of `reseal.ts` might otherwise miss a value that moves between tables.
 */
export function renewRecipientAtRest<Fields extends RecipientAtRest>(
  gateway: Sealing,
  owner: Owner,
  fields: Fields,
): Fields {
  const { recipient, remark } = openRecipient(gateway, { ...owner, ...fields })
  return isErased(recipient)
    ? fields
    : { ...fields, ...toRecipientAtRest(gateway, owner, { recipient, remark }) }
}

export function isErased(recipient: Recipient | ErasedRecipient): recipient is ErasedRecipient {
  return 'erased' in recipient
}

/**
 * Whether a row is for this recipient, apart from case, width, accents and punctuation. Nothing is known of an erased
 * recipient, so it counts as the same: a repeated order is then suspected to be a duplicate within its window.
 */
export function isSameRecipient(
  gateway: Pick<Gateway, 'secrets'>,
  row: StoredRecipient,
  other: Recipient,
): boolean {
  const { recipient } = openRecipient(gateway, row)
  return isErased(recipient) || toRecipientText(recipient) === toRecipientText(other)
}

/** Builds the values of `recipient_index` under which a person may be found, one for each given key. */
export function listRecipientIndexes({ listSignatures }: Secrets, person: Pick<Recipient, 'name' | 'phone'>) {
  return listSignatures(toPersonText(person), indexPurpose)
}

const indexPurpose = 'recipient index'

function toPurpose({ dropship_order_id, channel_code }: Owner): string {
  return toSealPurpose(dropship_order_id, channel_code)
}

function toSealPurpose(id: string, channel: string): string {
  return `recipient of ${id} ${channel}`
}

/** A sealed value is base64url; the other forms are JSON objects. */
export function isSealed(stored: string): boolean {
  return !stored.startsWith('{')
}

/** The column of sealed recipients, for `reseal.ts`. The index follows the key of its recipient. */
export const sealedRecipients = describeSealedColumn({
  table: 'dropship_orders',
  key: 'dropship_order_id',
  owner: 'channel_code',
  column: 'recipient',
  purposeOf: toSealPurpose,
  mapValues: (stored, each) => (isSealed(stored) ? each(stored) : stored),
  derive(secrets, text, purpose) {
    const { recipient }: RecipientContent = JSON.parse(secrets.unseal(text, purpose))
    return { recipient_index: secrets.sign(toPersonText(recipient), indexPurpose) }
  },
})

/** The recipients that open writes keep, for `reseal.ts`: what the row had before, and what it will have. */
export const sealedIntents = describeSealedColumn({
  table: 'intents',
  key: 'document_id',
  owner: 'channel_code',
  column: 'detail',
  purposeOf: toSealPurpose,
  mapValues: (stored, each) =>
    mapKeptRecipients(stored, (fields) =>
      isSealed(fields.recipient) ? { ...fields, recipient: each(fields.recipient) } : fields,
    ),
})

/** Applies a function to the columns of a recipient that the detail of an open write keeps. */
export function mapKeptRecipients(
  detail: string,
  each: (fields: RecipientAtRest) => RecipientAtRest,
): string {
  const kept: Readonly<Record<string, unknown>> | null = JSON.parse(detail)
  if (kept === null) return detail
  const mapped = keptUnder.flatMap((name) => {
    const fields = kept[name]
    return isRecipientAtRest(fields) ? [[name, each(fields)]] : []
  })
  return mapped.length === 0 ? detail : JSON.stringify({ ...kept, ...Object.fromEntries(mapped) })
}

/** The members of a detail (`submit.ts`, `preview.ts`) that have the columns of a recipient. */
const keptUnder = ['before', 'fields']

function isRecipientAtRest(fields: unknown): fields is RecipientAtRest {
  return typeof fields === 'object' && fields !== null && 'recipient' in fields
}
