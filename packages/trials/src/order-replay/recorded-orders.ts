/** Records what a buyer does with its orders as operations of a history. */
import { z } from 'zod'
import type { OperationInput } from '../../../simulator/src/history/operations.ts'
import type { HistoryRecorder } from '../../../simulator/src/history/recorder.ts'
import type { Buyer } from './buyer.ts'

/** What places orders needs of a buyer. */
export type Writer = Pick<Buyer, 'write'>

const draft = z.object({
  client_order_number: z.string(),
  lines: z.array(z.object({ sku: z.string(), quantity: z.int() })),
})
const created = z.object({ data: z.object({ order_id: z.string() }) })
const orderPath = /^\/api\/v1\/orders\/([^/]+)(\/[a-z-]+)?$/
const operations = {
  'POST /submit': 'order.submit',
  'DELETE ': 'order.void',
} as const

const isOperation = (step: string): step is keyof typeof operations => Object.hasOwn(operations, step)

/**
 * Wraps a buyer of wholesale orders, whose previews hold nothing: each submit and void is an operation, from the first
 * attempt to the final result.
 */
export function recordOrders(buyer: Writer, history: HistoryRecorder): Writer {
  const orders = new Map<string, OperationInput<'order.submit'>>()
  return {
    async write(request) {
      const { method, path, body } = request
      const [, id = '', action = ''] = orderPath.exec(path) ?? []
      const order = orders.get(id)
      const step = `${method} ${action}`
      const operation = order && isOperation(step) ? operations[step] : undefined
      // If the request throws, because the run was stopped, the operation has no end: its outcome is unknown.
      const end = operation && order && history.begin('buyer', operation, order)
      const result = await buyer.write(request)
      if (result.kind === 'done' && path === '/api/v1/orders') {
        const { client_order_number, lines } = draft.parse(body)
        const { order_id } = created.parse(result.body).data
        orders.set(order_id, { order: client_order_number, lines })
      }
      if (result.kind === 'done') end?.({ type: 'ok' })
      else if (result.kind === 'unknown') end?.({ type: 'unknown' })
      else end?.({ type: 'refused', output: result.refusal.reason ?? result.refusal.code })
      return result
    },
  }
}
