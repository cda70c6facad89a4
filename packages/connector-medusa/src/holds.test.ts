import { expect, it } from 'vitest'
import { Holds } from './holds.ts'
import type { HoldLine, Row } from './records.ts'
import { Steps } from './steps.ts'

const environment = { now: () => 0, elapsed: () => 0, createId: () => '', log: () => undefined }
const request = {
  ...{ order_type: 'wholesale' as const, customer_code: 'C', session: 's', warehouse_codes: ['W'] },
  ...{ lines: [{ sku: 'S0', quantity: 1 }], delivery: null, payment_method: 'invoice' as const },
  ...{ reference: 'R', replaces: null, expires_at: '2026-11-28T00:00:00Z' },
}

/** The lines of a hold of three. */
function createRows(): Row<HoldLine>[] {
  const plan = [0, 1, 2].map((index) => ({
    ...{ sku: `S${index}`, product_code: 'S', inventory_item_id: 'I', quantity: 1, unit_price: 100 },
  }))
  return plan.map(({ inventory_item_id: inventoryItemId, ...line }, index) => ({
    ...{ id: `row-${index}`, locationId: 'L', inventoryItemId, quantity: 1 },
    particulars: {
      ...{ kind: 'hold', reference: 'R', order_type: 'wholesale', warehouse_code: 'W', currency: 'AUD' },
      ...{ ...line, index, count: 3, expires_at: request.expires_at, costs: null, arrival: null },
      ...{ plan: index === 0 ? plan : null, ending: null, ended_at: null, consumed_by: null, replaces: null },
      price_expires_at: null,
    },
  }))
}

/** A Medusa with the lines of one hold. */
function createHolds(rows: Row<HoldLine>[]) {
  const records = {
    delete: async ({ id }: { id: string }) =>
      void rows.splice(
        rows.findIndex((row) => row.id === id),
        1,
      ),
    readOne: async () => ({ hold: [...rows], surplus: [], intents: [], orders: [], isFenced: false }),
    readHold: async () => [],
  }
  // What is cut off here uses no other part.
  const parts = { records, environment } as unknown as ConstructorParameters<typeof Holds>[0]
  return new Holds(parts)
}

it('A hold whose taking back is cut off still says what its lines are', async () => {
  const rows = createRows()
  const steps = new Steps(environment, 'R', () => {
    throw new Error('killed')
  })
  await expect(createHolds(rows).takeBack([...rows], steps)).rejects.toThrow('killed')
  expect(rows.map(({ id }) => id)).toEqual(['row-0', 'row-1'])
})

it('A hold whose first line is gone is not returned as if it were whole', async () => {
  const rows = createRows().slice(1)
  const holding = createHolds(rows).hold(request, new Steps(environment, 'R'))
  await expect(holding).rejects.toThrow('The first line of the hold R is gone')
})
