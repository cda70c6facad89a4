/**
 * The endpoints for writes of unknown outcome: those that the gateway still looks up, and those that only a person can
 * settle.
 */

import { unwrap, withTimeout } from '@trade-gateway/connector'
import { z } from 'zod'
import { type Acting, recordChange } from '../../audit/audit.ts'
import { GatewayError } from '../../contract/errors.ts'
import { instantField } from '../../contract/fields.ts'
import { toNotFoundError } from '../../contract/not-found.ts'
import { endpoint, toDataSchema } from '../../endpoint.ts'
import type { Gateway } from '../../gateway.ts'
import { formatInstant } from '../../kernel/clock.ts'
import type { Tx } from '../../store/store.ts'
import type { IntentRow } from '../../store/tables.ts'
import { isSettledByPerson } from '../../upstream/guarantee.ts'
import { toAskError } from '../../writes/ask.ts'
import { toDocumentInDoubtError } from '../../writes/failures.ts'
import type { AnyWrite } from '../../writes/intent.ts'
import { storeOperatorsResponse } from '../../writes/keys.ts'
import { settleManually } from '../../writes/settle.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'

const translations = { zh, ko }

/** The largest number of writes in the list. */
const maxListed = 500
const readTimeoutMs = 15_000

const doubtful = z
  .object({
    document_id: z.string(),
    kind: z.string(),
    reference: z.string(),
    channel_code: z.string(),
    client_order_number: z.string().nullable(),
    request_id: z.string(),
    sent_at: instantField,
    looked_up_at: instantField.nullable(),
    settled_by: z.enum(['gateway', 'person']),
  })
  .meta({ id: 'WriteInDoubt' })

/** Creates the endpoints for open writes of the given kinds. */
export function createDoubtEndpoints(writes: readonly AnyWrite[]) {
  const doubtsList = endpoint({
    id: 'admin.doubts.list',
    group: 'admin',
    summary: 'List writes in doubt',
    description:
      'Writes to the ERP whose outcome is not known, oldest first. `settled_by`: the gateway looks the outcome up by itself, or a person must settle it because the ERP cannot be asked about it.',
    translations,
    method: 'GET',
    path: '/admin/api/writes-in-doubt',
    access: 'admin',
    polled: true,
    errors: [],
    params: {},
    query: {},
    result: toDataSchema(z.array(doubtful)),

    async handle({ gateway }) {
      return { data: await listDoubts(gateway) }
    },
  })

  const doubtsSettle = endpoint({
    id: 'admin.doubts.settle',
    group: 'admin',
    summary: 'Settle a write in doubt',
    description:
      'For a person who has checked the ERP. found: the gateway reads the document from the ERP and completes the write. absent: the gateway asks the ERP once more, undoes the write and frees its key; it refuses while the write may still arrive. With the `reference` and `sent_at` that the list returned, only that write is settled, and not one that has begun on the document since.',
    translations,
    method: 'POST',
    path: '/admin/api/writes-in-doubt/{document_id}/settle',
    access: 'admin',
    errors: ['NOT_FOUND', 'UPSTREAM_ERROR', 'UPSTREAM_TIMEOUT', 'UPSTREAM_REJECTED'],
    params: { document_id: z.string() },
    query: {},
    body: z.object({
      outcome: z.enum(['found', 'absent']),
      reference: z.string().optional(),
      sent_at: instantField.optional(),
    }),
    example: { outcome: 'found' },
    result: toDataSchema(z.object({ document_id: z.string(), outcome: z.enum(['found', 'absent']) })),

    async handle({ gateway, call, input }) {
      return { data: await settleDoubt({ gateway, call }, writes, input) }
    },
  })

  return [doubtsList, doubtsSettle] as const
}

async function listDoubts(gateway: Gateway) {
  const rows = await gateway.store.db
    .selectFrom('intents')
    .selectAll()
    .orderBy('sent_at')
    .limit(maxListed)
    .execute()
  const numbers = await readClientNumbers(
    gateway,
    rows.map((row) => row.document_id),
  )
  const { known } = gateway.upstream
  const byPerson = known !== undefined && isSettledByPerson(known)
  return rows.map((row) => ({
    document_id: row.document_id,
    kind: row.kind,
    reference: row.reference,
    channel_code: row.channel_code,
    client_order_number: numbers.get(row.document_id) ?? null,
    request_id: row.request_id,
    sent_at: formatInstant(row.sent_at),
    looked_up_at: row.looked_at === null ? null : formatInstant(row.looked_at),
    settled_by: byPerson ? ('person' as const) : ('gateway' as const),
  }))
}

/** Reads the clients' own numbers of orders of both kinds. A document of another kind has none. */
async function readClientNumbers({ store: { db, bulk } }: Gateway, documents: readonly string[]) {
  const ids = bulk.texts(documents)
  const [orders, dropships] = await Promise.all([
    db
      .selectFrom('orders')
      .select(['order_id as id', 'client_order_number'])
      .where('order_id', 'in', ids)
      .execute(),
    db
      .selectFrom('dropship_orders')
      .select(['dropship_order_id as id', 'client_order_number'])
      .where('dropship_order_id', 'in', ids)
      .execute(),
  ])
  return new Map([...orders, ...dropships].map(({ id, client_order_number }) => [id, client_order_number]))
}

/** A person's finding about a document in the ERP. */
interface Verdict {
  readonly document_id: string
  readonly outcome: 'found' | 'absent'
  /** The reference that the person looked for; undefined settles whatever write of the document is open. */
  readonly reference?: string | undefined
  /** When that write began: a later one of the document may have the same reference. */
  readonly sent_at?: string | undefined
}

/**
 * Settles a write by what a person found in the ERP. If the document was found, the gateway reads it from the ERP and
 * completes the write. If it is absent, the gateway asks the ERP once more, undoes the write and frees its key. Throws
 * `NOT_FOUND`, `UPSTREAM_REJECTED` if the ERP says the opposite, and `IDEMPOTENCY_IN_PROGRESS` while the write may still
 * arrive.
 */
async function settleDoubt(
  acting: Acting,
  writes: readonly AnyWrite[],
  { document_id: id, outcome, ...checked }: Verdict,
) {
  const { gateway } = acting
  const intent = await gateway.store.db
    .selectFrom('intents')
    .selectAll()
    .where('document_id', '=', id)
    .executeTakeFirst()
  if (!intent || !isChecked(intent, checked)) throw toNotFoundError('write_in_doubt', id)
  const document = outcome === 'absent' ? null : await readErpDocument(gateway, intent)
  const { kind, reference, channel_code } = intent
  const subject = { document_id: id, kind, reference, channel_code }
  const settled = { document_id: id, outcome }
  const record = async (tx: Tx) => {
    await storeOperatorsResponse(acting, tx, settled)
    await recordChange(acting, tx, {
      before: { ...subject, outcome: 'unknown' },
      after: { ...subject, outcome, status: document?.status ?? null },
    })
  }
  const done = await settleManually(gateway, writes, { intent, document, record }).catch((error: unknown) => {
    throw toAskError(error)
  })
  if (done === 'busy') throw toDocumentInDoubtError(id)
  if (done === 'at erp') {
    throw new GatewayError('UPSTREAM_REJECTED', { reason: 'invalid_state', say: ['is_at_erp', { id }] })
  }
  if (done === 'not done') {
    throw new GatewayError('UPSTREAM_REJECTED', {
      reason: 'invalid_state',
      say: ['not_done_at_erp', { id, kind: intent.kind, status: document?.status ?? '' }],
    })
  }
  return settled
}

/** Whether a write is the one that the person looked for. */
function isChecked(
  intent: IntentRow,
  { reference = intent.reference, sent_at }: Pick<Verdict, 'reference' | 'sent_at'>,
): boolean {
  const sentAt = sent_at === undefined ? intent.sent_at : Date.parse(sent_at)
  return reference === intent.reference && sentAt === intent.sent_at
}

async function readErpDocument(gateway: Gateway, { reference, document_id: id }: IntentRow) {
  const answer = await gateway.erp['documents.read'](
    { references: [reference] },
    withTimeout(readTimeoutMs),
  ).catch((error: unknown) => {
    throw toAskError(error)
  })
  const document = unwrap(answer).documents.find((each) => each.reference === reference)
  if (document) return document
  throw new GatewayError('UPSTREAM_REJECTED', {
    reason: 'invalid_state',
    say: ['not_at_erp', { id, reference }],
  })
}
