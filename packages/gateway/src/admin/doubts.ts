import { accepted, within } from '@trade-gateway/connector'
import { z } from 'zod'
import { writes } from '../catalogue.ts'
import { dataOf, endpoint } from '../contract/endpoint.ts'
import { GatewayError } from '../contract/errors.ts'
import { instantField } from '../contract/fields.ts'
import { notFound } from '../contract/not-found.ts'
import type { Gateway } from '../gateway.ts'
import { instant } from '../kernel/clock.ts'
import { askFailure } from '../operations/ask.ts'
import { inDoubt } from '../operations/failures.ts'
import { settleByHand } from '../operations/settle.ts'
import type { IntentRow } from '../store/tables.ts'

/** Writes whose outcome is not known: those that the gateway still looks up, and those that only a person can settle. */
const mostListed = 500
const readTimeoutMs = 15_000

const doubtful = z
  .object({
    document_id: z.string(),
    kind: z.string(),
    reference: z.string(),
    channel_code: z.string(),
    request_id: z.string(),
    sent_at: instantField,
    looked_up_at: instantField.nullable(),
    settled_by: z.enum(['gateway', 'person']),
  })
  .meta({ id: 'WriteInDoubt' })

export const doubtsList = endpoint({
  id: 'admin.doubts.list',
  method: 'GET',
  path: '/admin/api/writes-in-doubt',
  since: '1.4.0',
  access: 'admin',
  errors: [],
  params: {},
  query: {},
  result: dataOf(z.array(doubtful)),

  async handle({ gateway }) {
    return { data: await listed(gateway) }
  },
})

export const doubtsSettle = endpoint({
  id: 'admin.doubts.settle',
  method: 'POST',
  path: '/admin/api/writes-in-doubt/{document_id}/settle',
  since: '1.4.0',
  access: 'admin',
  errors: ['NOT_FOUND', 'UPSTREAM_ERROR', 'UPSTREAM_TIMEOUT', 'UPSTREAM_REJECTED'],
  params: { document_id: z.string() },
  query: {},
  body: z.object({ outcome: z.enum(['found', 'absent']) }),
  example: { outcome: 'absent' },
  result: dataOf(z.object({ document_id: z.string(), outcome: z.enum(['found', 'absent']) })),

  async handle({ gateway, input }) {
    await settled(gateway, input.document_id, input.outcome)
    return { data: { document_id: input.document_id, outcome: input.outcome } }
  },
})

async function listed(gateway: Gateway) {
  const rows = await gateway.store.db
    .selectFrom('intents')
    .selectAll()
    .orderBy('sent_at')
    .limit(mostListed)
    .execute()
  const byPerson = gateway.upstream.known?.lookup === 'none'
  return rows.map((row) => ({
    document_id: row.document_id,
    kind: row.kind,
    reference: row.reference,
    channel_code: row.channel_code,
    request_id: row.request_id,
    sent_at: instant(row.sent_at),
    looked_up_at: row.looked_at === null ? null : instant(row.looked_at),
    settled_by: byPerson ? ('person' as const) : ('gateway' as const),
  }))
}

/**
 * A person has looked into the ERP. `found`: the gateway reads the document there and finishes the write; `absent`: it
 * is taken back and the key is free. Throws `NOT_FOUND`, and `UPSTREAM_REJECTED` where the ERP does not have it.
 */
async function settled(gateway: Gateway, id: string, outcome: 'found' | 'absent'): Promise<void> {
  const intent = await gateway.store.db
    .selectFrom('intents')
    .selectAll()
    .where('document_id', '=', id)
    .executeTakeFirst()
  if (!intent) throw notFound('write_in_doubt', id)
  const document = outcome === 'absent' ? null : await readAt(gateway, intent)
  const done = await settleByHand(gateway, writes, intent, document).catch((error: unknown) => {
    throw askFailure(error)
  })
  if (done === 'busy') throw inDoubt(id)
  if (done === 'not done') {
    throw new GatewayError('UPSTREAM_REJECTED', {
      reason: 'invalid_state',
      say: ['not_done_at_erp', { id, kind: intent.kind, status: document?.status ?? '' }],
    })
  }
}

async function readAt(gateway: Gateway, { reference, document_id: id }: IntentRow) {
  const answer = await gateway.erp['documents.read'](
    { references: [reference] },
    within(readTimeoutMs),
  ).catch((error: unknown) => {
    throw askFailure(error)
  })
  const [document] = accepted(answer).documents
  if (document) return document
  throw new GatewayError('UPSTREAM_REJECTED', {
    reason: 'invalid_state',
    say: ['not_at_erp', { id, reference }],
  })
}
