import { expect, it } from 'vitest'
import { systemEnvironment } from './environment.ts'
import { Forms } from './forms.ts'
import type { Rpc } from './rpc.ts'

const keptMs = 10_000

/** A Tryton whose tax of a line is the id of its sale's customer, and whose payment term is that of a day that staff set. */
function openForms() {
  const tryton = { elapsed: 0, calls: 0, term: 1, isDown: false }
  const call = async (method: string, [values]: [{ party?: number; sale?: { party: number } }]) => {
    tryton.calls += 1
    if (tryton.isDown) throw new Error('down')
    if (method === 'model.sale.sale.on_change')
      return [{ invoice_address: values.party, payment_term: tryton.term }]
    return [{ taxes: { add: [[0, { id: values.sale?.party }]] } }]
  }
  const environment = { ...systemEnvironment, elapsed: () => tryton.elapsed }
  const search = async (_model: string, [[, , party]]: [[string, string, number]]) => {
    tryton.calls += 1
    return [party * 10]
  }
  // Forms use no other part of the connection.
  return { forms: new Forms({ call, search } as unknown as Rpc, environment), tryton }
}

it('are filled in once for all who ask for the same, and for nobody else', async () => {
  const { forms, tryton } = openForms()
  const line = { product: 5, unit: 1, taxedAs: 'category 1' }
  const read = (party: number) => forms.readTaxes({ party }, line)
  expect(await Promise.all([read(1), read(2), read(1)])).toEqual([[1], [2], [1]])
  expect(tryton.calls).toBe(2)
  await forms.readTaxes({ party: 1 }, { ...line, taxedAs: 'category 2' })
  expect(tryton.calls).toBe(3)
})

it('show what staff have changed ten seconds later, and no failure is kept', async () => {
  const { forms, tryton } = openForms()
  tryton.isDown = true
  await expect(forms.fillParty({ party: 1 })).rejects.toThrow('down')
  tryton.isDown = false
  expect((await forms.fillParty({ party: 1 }))?.payment_term).toBe(1)
  tryton.term = 2
  tryton.elapsed = keptMs - 1
  expect((await forms.fillParty({ party: 1 }))?.payment_term).toBe(1)
  tryton.elapsed = keptMs
  expect((await forms.fillParty({ party: 1 }))?.payment_term).toBe(2)
})

it('know the address of each customer, read once', async () => {
  const { forms, tryton } = openForms()
  for (let round = 0; round < 2; round++) {
    expect(await forms.findDeliveryAddress(1)).toBe(10)
    expect(await forms.findDeliveryAddress(2)).toBe(20)
  }
  expect(tryton.calls).toBe(2)
  tryton.elapsed = keptMs
  await forms.findDeliveryAddress(1)
  expect(tryton.calls).toBe(3)
})
