import { z } from 'zod'
import { GatewayError } from '../../contract/errors.ts'
import { dropshipRead, dropshipVoid } from '../../dropship/endpoints.ts'
import { ordersRead, ordersVoid } from '../../orders/endpoints.ts'
import { action, commitHints } from '../action.ts'
import { type GivenBack, givenBackByDropship, givenBackByOrder } from '../given-back.ts'
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
    released: z.array(z.object({ sku: z.string(), quantity: z.int() })).optional(),
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
  readonly before: string
  readonly status: string
  readonly released: GivenBack[] | undefined
}

/** Again the answer is the same; where the document does not tell what went back, only that it was done before. */
function cancelled({ before, released, ...data }: Cancelled) {
  const { id, status } = data
  if (released === undefined) {
    return { data, text: before === status ? `${id} was ${status} before.` : `${id} is ${status}.` }
  }
  const pieces = released.reduce((sum, { quantity }) => sum + quantity, 0)
  const text = `${id} is ${status}; ${counted(pieces, 'piece')} given back.`
  return { data: { ...data, released }, text }
}

async function wholesale(visit: Visit, id: string): Promise<Cancelled> {
  const params = { order_id: id }
  const { data: before } = (await visit.of(ordersRead, { params })).json
  const { data: after } = (await visit.of(ordersVoid, { params, key: keyFor(id) })).json
  const released = givenBackByOrder(before)
  return { id, kind: 'wholesale', before: before.status, status: after.status, released }
}

async function dropship(visit: Visit, id: string): Promise<Cancelled> {
  const params = { dropship_order_id: id }
  const { data: before } = (await visit.of(dropshipRead, { params })).json
  const { data: after } = (await visit.of(dropshipVoid, { params, key: keyFor(id) })).json
  const released = givenBackByDropship(before)
  return { id, kind: 'dropship', before: before.status, status: after.status, released }
}

/** The same call again is the same operation: what was cut off is looked up. */
function keyFor(id: string): string {
  return `mcp-cancel-${id}`
}
