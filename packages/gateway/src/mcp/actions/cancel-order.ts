import { z } from 'zod'
import { GatewayError } from '../../contract/errors.ts'
import { dropshipRead, dropshipVoid } from '../../dropship/endpoints.ts'
import { ordersRead, ordersVoid } from '../../orders/endpoints.ts'
import { action, commitHints } from '../action.ts'
import type { ActionContext } from '../action-context.ts'
import { listReleasedDropshipLines, listReleasedOrderLines, type ReleasedLine } from '../released-stock.ts'
import { countNoun } from '../wording.ts'

const createIdField = (description: string) => z.string().min(1).max(64).optional().meta({ description })

export const cancelOrder = action({
  name: 'cancel_order',
  title: 'Void order',
  description:
    'Voids an order that has not shipped and releases its stock: pass order_id or dropship_order_id. Cannot be undone; ask the user first. A shipped order is refused. Repeating the call returns the same result. For a drop-ship quote that was not placed, use release_dropship. 3 points.',
  hints: commitHints,
  input: z.strictObject({
    order_id: createIdField('A wholesale order, ord_…'),
    dropship_order_id: createIdField('A drop-ship order, dso_…'),
    reason: z
      .string()
      .min(1)
      .max(300)
      .optional()
      .meta({ description: 'The reason; it stays in this conversation' }),
  }),
  output: z.object({
    id: z.string(),
    kind: z.enum(['wholesale', 'dropship']),
    status: z.string(),
    released: z.array(z.object({ sku: z.string(), quantity: z.int() })).optional(),
  }),

  async run(context, { order_id, dropship_order_id }) {
    if (order_id !== undefined && dropship_order_id === undefined)
      return toCancelResult(await cancelWholesale(context, order_id))
    if (dropship_order_id !== undefined && order_id === undefined) {
      return toCancelResult(await cancelDropship(context, dropship_order_id))
    }
    throw new GatewayError('VALIDATION_FAILED', {
      param: 'order_id',
      reason: 'invalid_field',
      say: ['one_of', { fields: 'order_id, dropship_order_id' }],
    })
  },
})

interface CancelledDocument {
  readonly id: string
  readonly kind: 'wholesale' | 'dropship'
  readonly before: string
  readonly status: string
  readonly released: ReleasedLine[] | undefined
}

/**
 * Builds the result. If the document does not show which stock it releases (a draft, or an order that was already
 * voided), `released` is omitted, and the text says only whether this call voided the document or an earlier one had.
 */
function toCancelResult({ before, released, ...data }: CancelledDocument) {
  const { id, status } = data
  if (released === undefined) {
    return { data, text: before === status ? `${id} was ${status} before.` : `${id} is ${status}.` }
  }
  const pieces = released.reduce((sum, { quantity }) => sum + quantity, 0)
  const text = `${id} is ${status}; ${countNoun(pieces, 'piece')} released.`
  return { data: { ...data, released }, text }
}

async function cancelWholesale(context: ActionContext, id: string): Promise<CancelledDocument> {
  await context.requireAccess(ordersVoid)
  const params = { order_id: id }
  const { data: before } = (await context.callEndpoint(ordersRead, { params })).json
  const { data: after } = (await context.callEndpoint(ordersVoid, { params, key: toCancelKey(id) })).json
  const released = listReleasedOrderLines(before)
  return { id, kind: 'wholesale', before: before.status, status: after.status, released }
}

async function cancelDropship(context: ActionContext, id: string): Promise<CancelledDocument> {
  await context.requireAccess(dropshipVoid)
  const params = { dropship_order_id: id }
  const { data: before } = (await context.callEndpoint(dropshipRead, { params })).json
  const { data: after } = (await context.callEndpoint(dropshipVoid, { params, key: toCancelKey(id) })).json
  const released = listReleasedDropshipLines(before)
  return { id, kind: 'dropship', before: before.status, status: after.status, released }
}

/**
 * Builds the idempotency key, which is the same for every cancellation of a document: a repeated call changes nothing,
 * and the outcome of an interrupted one is looked up.
 */
function toCancelKey(id: string): string {
  return `mcp-cancel-${id}`
}
