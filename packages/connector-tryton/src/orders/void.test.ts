import { expect, it } from 'vitest'
import { Deadline } from '../steps.ts'
import { createTestEnvironment } from '../testing/local-tryton.ts'
import { type Orders, Refusal } from './context.ts'
import type { Sale } from './find.ts'
import { cancelOrder } from './void.ts'

const environment = createTestEnvironment({ at: 0 })
const call = { reference: 'R', deadline: new Deadline(environment) }
const sale = { id: 1, web_id: 'R', shipments: [1, 2], invoices: [] } as unknown as Sale

/** A Tryton with two shipments of an order, of which staff ship the first: before the others are cancelled, or while. */
function createTryton(shipped: 'before' | 'meanwhile') {
  const shipments = [
    { id: 1, state: shipped === 'before' ? 'done' : 'packed' },
    { id: 2, state: 'assigned' },
  ]
  const rpc = {
    searchRead: async (model: string) =>
      model === 'sale.sale' ? [sale] : shipments.map((row) => ({ ...row })),
    press: async () => {
      Object.assign(shipments[0] ?? {}, { state: 'done' })
      Object.assign(shipments[1] ?? {}, { state: 'cancelled' })
    },
  }
  // Cancelling shipments uses no other part of a connector.
  const orders = { connector: { rpc, environment, onStep: () => undefined } } as unknown as Orders
  return { orders, shipments }
}

it('An order that was shipped is refused, and nothing of it is cancelled', async () => {
  const { orders, shipments } = createTryton('before')
  await expect(cancelOrder(orders, call, sale)).rejects.toMatchObject({ reason: 'already_shipped' })
  expect(shipments[1]?.state).toBe('assigned')
})

it('An order of which a part is shipped while the rest is cancelled is not refused: its outcome is unknown', async () => {
  const { orders } = createTryton('meanwhile')
  const error: unknown = await cancelOrder(orders, call, sale).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(Error)
  expect(error).not.toBeInstanceOf(Refusal)
})

it('cancels the draft invoices of the order alone', async () => {
  const invoices = [
    { id: 7, sales: [1] },
    { id: 8, sales: [1, 2] },
  ]
  const pressed: unknown[] = []
  const rpc = {
    searchRead: async (model: string) =>
      model === 'sale.sale' ? [billed] : model === 'account.invoice' ? invoices : [],
    press: async (...call: unknown[]) => pressed.push(call),
  }
  const billed = { ...sale, shipments: [], invoices: [7, 8] }
  const logged: string[] = []
  // Cancelling invoices uses no other part of a connector.
  const connector = { rpc, environment, onStep: () => undefined, log: (line: string) => logged.push(line) }
  await cancelOrder({ connector } as unknown as Orders, call, billed)
  expect(pressed).toEqual([['account.invoice', 'cancel', [7]]])
  expect(logged).toEqual(['The draft invoice 8 of R bills other orders too: remove its lines there.'])
})
