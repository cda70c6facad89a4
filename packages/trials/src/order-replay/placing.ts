/** One order, from the draft to the submit, and its void. */
import { z } from 'zod'
import type { Buyer, Ending } from './buyer.ts'
import type { WholesaleOrder } from './invoices.ts'

const draft = z.object({ data: z.object({ order_id: z.string() }) })
const preview = z.object({
  data: z.object({ fulfillable: z.boolean(), costs: z.object({ total: z.number() }) }),
})
const submitted = z.object({
  data: z.object({ status: z.literal('confirmed'), costs: z.object({ total: z.number() }) }),
})
const voided = z.object({ data: z.object({ status: z.literal('cancelled') }) })

/** Where the order is sent, and how. */
export interface Shipping {
  readonly shipping_method_id: string
  readonly address_id: string
}

/** What the client knows of an order in the end. */
export interface Entry {
  readonly client_order_number: string
  readonly goods: WholesaleOrder['goods']
  readonly order_id: string | undefined
  readonly outcome: 'confirmed' | 'voided' | 'refused' | 'unknown'
  /** What the submit charged; null where no submit was answered. */
  readonly total: number | null
  /** What the preview said that it would charge. */
  readonly quoted: number | null
  /** Why it was not placed, or not voided, as a sentence. */
  readonly trouble: string | null
}

/** Places an order. */
export async function place(buyer: Buyer, order: WholesaleOrder, shipping: Shipping): Promise<Entry> {
  const { client_order_number, goods } = order
  const nothing = { client_order_number, goods, order_id: undefined, total: null, quoted: null }
  const key = (step: string) => `${client_order_number}.${step}`
  const lines = [...goods].map(([sku, quantity]) => ({ sku, quantity }))
  const body = { lines, client_order_number, shipping, payment_method: 'invoice' }
  const drafted = await buyer.write('POST', '/api/v1/orders', key('draft'), body)
  if (drafted.kind !== 'done') return { ...nothing, outcome: 'refused', trouble: troubleIn('draft', drafted) }
  const { order_id } = draft.parse(drafted.body).data
  const at = `/api/v1/orders/${order_id}`

  const previewed = await buyer.write('POST', `${at}/allocation-preview`, key('preview'))
  if (previewed.kind !== 'done')
    return { ...nothing, order_id, outcome: 'refused', trouble: troubleIn('preview', previewed) }
  const { fulfillable, costs } = preview.parse(previewed.body).data
  const quoted = costs.total
  if (!fulfillable)
    return { ...nothing, order_id, quoted, outcome: 'refused', trouble: 'preview: not fulfillable' }

  const done = await buyer.write('POST', `${at}/submit`, key('submit'))
  if (done.kind !== 'done')
    return { ...nothing, order_id, quoted, outcome: done.kind, trouble: troubleIn('submit', done) }
  const { total } = submitted.parse(done.body).data.costs
  return { client_order_number, goods, order_id, outcome: 'confirmed', total, quoted, trouble: null }
}

/** Voids an order that was placed; one that was not stays as it is. */
export async function voidOf(buyer: Buyer, entry: Entry): Promise<Entry> {
  if (entry.outcome !== 'confirmed') return entry
  const path = `/api/v1/orders/${entry.order_id}`
  const done = await buyer.write('DELETE', path, `${entry.client_order_number}.void`)
  if (done.kind === 'unknown') return { ...entry, outcome: 'unknown', trouble: troubleIn('void', done) }
  if (done.kind === 'refused') return { ...entry, trouble: troubleIn('void', done) }
  voided.parse(done.body)
  return { ...entry, outcome: 'voided' }
}

function troubleIn(step: string, ending: Exclude<Ending, { kind: 'done' }>): string {
  if (ending.kind === 'unknown') return `${step}: no definite answer, lastly ${ending.last}`
  const { code, reason, message } = ending.refusal
  return `${step}: ${code}${reason === undefined ? '' : ` (${reason})`}: ${message}`
}
