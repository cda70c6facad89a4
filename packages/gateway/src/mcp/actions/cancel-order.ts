import { z } from 'zod'
import { GatewayError } from '../../contract/errors.ts'
import { dropshipRead, dropshipVoid } from '../../dropship/endpoints.ts'
import { ordersRead, ordersVoid } from '../../orders/endpoints.ts'
import { action, commitHints } from '../action.ts'
import type { Visit } from '../visit.ts'
import { counted } from '../wording.ts'

const idField = (description: string) => z.string().min(1).max(64).optional().meta({ description })

export const cancelOrder = action({
  name: 'cancel_order',
  description:
    'Voids an order that has not shipped and gives its stock back: pass order_id or dropship_order_id. Cannot be undone; ask the user first. A shipped order is refused. Again: the same answer. For a drop-ship quote that was not placed use release_dropship. 3 points.',
  hints: commitHints,
  input: z.strictObject({
    order_id: idField('A wholesale order, ord_…'),
    dropship_order_id: idField('A drop-ship order, dso_…'),
    reason: z.string().min(1).max(300).optional().meta({ description: 'Why; stays in this conversation' }),
  }),
  output: z.object({
    id: z.string(),
    kind: z.enum(['wholesale', 'dropship']),
    status: z.string(),
    released: z.array(z.object({ sku: z.string(), quantity: z.int() })),
  }),

  async run(visit, { order_id, dropship_order_id }) {
    if (order_id !== undefined && dropship_order_id === undefined)
      return cancelled(await wholesale(visit, order_id))
    if (dropship_order_id !== undefined && order_id === undefined) {
      return cancelled(await dropship(visit, dropship_order_id))
    }
    throw new GatewayError('VALIDATION_FAILED', {
      param: 'order_id',
      reason: 'invalid_field',
      say: ['one_of', { fields: 'order_id, dropship_order_id' }],
    })
  },
})

interface Cancelled {
  readonly id: string
  readonly kind: 'wholesale' | 'dropship'
  readonly status: string
  readonly released: { sku: string; quantity: number }[]
}

function cancelled(data: Cancelled) {
  const pieces = data.released.reduce((sum, { quantity }) => sum + quantity, 0)
  return { data, text: `${data.id} is ${data.status}; ${counted(pieces, 'piece')} given back.` }
}

async function wholesale(visit: Visit, order_id: string): Promise<Cancelled> {
  const params = { order_id }
  const { data: before } = (await visit.of(ordersRead, { params })).json
  const { data: after } = (await visit.of(ordersVoid, { params, key: keyFor(order_id) })).json
  const released = before.lines
    .map(({ sku, quantity_allocated }) => ({ sku, quantity: quantity_allocated }))
    .filter(({ quantity }) => quantity > 0)
  const wasOpen = before.status !== 'cancelled'
  return { id: order_id, kind: 'wholesale', status: after.status, released: wasOpen ? released : [] }
}

async function dropship(visit: Visit, dropship_order_id: string): Promise<Cancelled> {
  const params = { dropship_order_id }
  const { data: before } = (await visit.of(dropshipRead, { params })).json
  const { data: after } = (await visit.of(dropshipVoid, { params, key: keyFor(dropship_order_id) })).json
  // The ERP knows of what it holds stock for.
  const held = before.status === 'pending' && before.status_raw !== null
  const released = held ? [{ sku: before.sku, quantity: before.quantity }] : []
  return { id: dropship_order_id, kind: 'dropship', status: after.status, released }
}

/** The same call again is the same operation: what was cut off is looked up. */
function keyFor(id: string): string {
  return `mcp-cancel-${id}`
}
