/** Places one order, from the draft to the submit, and voids it. */
import { z } from 'zod'
import type { RequestResult } from './buyer.ts'
import type { WholesaleOrder } from './invoices.ts'
import type { Writer } from './recorded-orders.ts'

const draftResponse = z.object({ data: z.object({ order_id: z.string() }) })
const previewResponse = z.object({
  data: z.object({ fulfillable: z.boolean(), costs: z.object({ total: z.number() }) }),
})
const submitResponse = z.object({
  data: z.object({ status: z.literal('confirmed'), costs: z.object({ total: z.number() }) }),
})
const voidResponse = z.object({ data: z.object({ status: z.literal('cancelled') }) })

/** The destination and shipping method of the orders. */
export interface Shipping {
  readonly shipping_method_id: string
  readonly address_id: string
}

/** What the client knows about an order after it was placed, refused or voided. */
export interface Entry {
  readonly client_order_number: string
  readonly goods: WholesaleOrder['goods']
  readonly order_id: string | undefined
  readonly outcome: 'confirmed' | 'voided' | 'refused' | 'unknown'
  /** The total that the submit charged; null if no submit got a response. */
  readonly total: number | null
  /** The total of the preview. */
  readonly quoted: number | null
  /** The reason why the order was not placed or voided, as a sentence. */
  readonly trouble: string | null
}

/** Places an order. */
export async function placeOrder(buyer: Writer, order: WholesaleOrder, shipping: Shipping): Promise<Entry> {
  const { client_order_number, goods } = order
  const nothing = { client_order_number, goods, order_id: undefined, total: null, quoted: null }
  const createKey = (step: string) => `${client_order_number}.${step}`
  const lines = [...goods].map(([sku, quantity]) => ({ sku, quantity }))
  const body = { lines, client_order_number, shipping, payment_method: 'invoice' }
  const draftResult = await buyer.write({
    method: 'POST',
    path: '/api/v1/orders',
    key: createKey('draft'),
    body,
  })
  if (draftResult.kind !== 'done')
    return { ...nothing, outcome: 'refused', trouble: explainFailure('draft', draftResult) }
  const { order_id } = draftResponse.parse(draftResult.body).data
  const at = `/api/v1/orders/${order_id}`

  const previewResult = await buyer.write({
    method: 'POST',
    path: `${at}/allocation-preview`,
    key: createKey('preview'),
  })
  if (previewResult.kind !== 'done')
    return { ...nothing, order_id, outcome: 'refused', trouble: explainFailure('preview', previewResult) }
  const { fulfillable, costs } = previewResponse.parse(previewResult.body).data
  const quoted = costs.total
  if (!fulfillable)
    return { ...nothing, order_id, quoted, outcome: 'refused', trouble: 'preview: not fulfillable' }

  const submitResult = await buyer.write({ method: 'POST', path: `${at}/submit`, key: createKey('submit') })
  if (submitResult.kind !== 'done')
    return {
      ...nothing,
      order_id,
      quoted,
      outcome: submitResult.kind,
      trouble: explainFailure('submit', submitResult),
    }
  const { total } = submitResponse.parse(submitResult.body).data.costs
  return { client_order_number, goods, order_id, outcome: 'confirmed', total, quoted, trouble: null }
}

/** Voids a confirmed order and returns its new entry. Returns any other entry unchanged. */
export async function voidOrder(buyer: Writer, entry: Entry): Promise<Entry> {
  if (entry.outcome !== 'confirmed') return entry
  const path = `/api/v1/orders/${entry.order_id}`
  const done = await buyer.write({ method: 'DELETE', path, key: `${entry.client_order_number}.void` })
  if (done.kind === 'unknown') return { ...entry, outcome: 'unknown', trouble: explainFailure('void', done) }
  if (done.kind === 'refused') return { ...entry, trouble: explainFailure('void', done) }
  voidResponse.parse(done.body)
  return { ...entry, outcome: 'voided' }
}

function explainFailure(step: string, ending: Exclude<RequestResult, { kind: 'done' }>): string {
  if (ending.kind === 'unknown') return `${step}: no final response; the last attempt: ${ending.last}`
  const { code, reason, message } = ending.refusal
  return `${step}: ${code}${reason === undefined ? '' : ` (${reason})`}: ${message}`
}
