import { expect, it } from 'vitest'
import type { Connector } from './connector.ts'
import { readSellable, readUnbilled } from './customers.ts'

/** A connector to a Tryton with open orders, each as its goods and its tax. Nothing else of it is used. */
const connectorWith = (orders: readonly (readonly [goods: string, tax: string])[]) =>
  ({
    rpc: {
      searchRead: async () => orders.map(([untaxed_amount, tax_amount]) => ({ untaxed_amount, tax_amount })),
    },
    places: { minorUnits: 100 },
  }) as unknown as Connector

const customer = { id: 1, code: 'C', name: 'C' }

it.each([
  ['110.00', [['110.00', '11.00']], 12_100],
  ['0.01', [['0.01', '0.00']], 1],
  ['0.15', [['0.15', '0.02']], 17],
  // The billed one may be that without a tax: what is left then has the tax of the other.
  [
    '100.00',
    [
      ['100.00', '10.00'],
      ['100.00', '0.00'],
    ],
    10_999,
  ],
  ['90071992547.00', [['90071992547.00', '9007199254.70']], 9_907_919_180_170],
  ['50.00', [], 5_000],
] as const)(
  'Orders for %s that are not billed cost with their taxes what they say: %j',
  async (creditAmount, orders, cost) => {
    const credit = { creditAmount, receivable: '0.00', creditLimit: null }
    expect(await readUnbilled(connectorWith(orders), customer, credit)).toBe(cost)
  },
)

it('A customer may order no product whose code the protocol does not take', async () => {
  const codes = ['', null, 'x'.repeat(65), 'x'.repeat(64), 'TEE-M']
  const rows = (model: string) => (model === 'party.party' ? [customer] : codes.map((code) => ({ code })))
  const connector = {
    rpc: { searchRead: async (model: string) => rows(model) },
    config: { shop: 'shop', shops: {} },
    places: { shops: new Map([['shop', 1]]) },
  }
  // What a customer may order uses no other part of a connector.
  expect(await readSellable(connector as unknown as Connector, { customer_code: 'C' })).toEqual({
    ok: { rule: 'only', skus: ['x'.repeat(64), 'TEE-M'] },
  })
})
