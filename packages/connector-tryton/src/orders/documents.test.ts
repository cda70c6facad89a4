import { type ErpDocument, erpDocument } from '@trade-gateway/connector'
import { describe, expect, it } from 'vitest'
import type { Connector } from '../connector.ts'
import { toDecimal, toInstant } from '../values.ts'
import type { Orders } from './context.ts'
import { readDocuments } from './documents.ts'

const noon = toInstant(Date.parse('2026-11-27T12:00:00Z'))
const [stores, output, customers] = [1, 2, 3]
const [connectorUser, staff] = [8, 9]

const createSale = (id: number, change: object = {}) => ({
  ...{ id, web_id: `R-${id}`, number: `S${id}`, state: 'processing', description: 'Trade Gateway' },
  shipment_state: 'sent',
  ...{ warehouse: stores, carrier: 1, create_date: noon, shipments: [id], invoices: [] as number[] },
  ...{ tax_amount: toDecimal('0'), total_amount: toDecimal('10') },
  ...change,
})

const createLine = (sale: number) => ({
  ...{ sale, type: 'line', quantity: 2, unit_price: toDecimal('5'), amount: toDecimal('10') },
  'product.': { id: 1, code: 'TEE-M', 'template.': { code: 'TEE' } },
})

const createMove = (shipment: number, change: object = {}) => ({
  ...{ shipment: `stock.shipment.out,${shipment}`, product: 1, quantity: 2, state: 'done' },
  ...{ from_location: output, to_location: customers, write_date: noon, 'product.': { code: 'TEE-M' } },
  ...change,
})

const createShipment = (id: number, change: object = {}) => ({
  ...{ id, number: `OUT-${id}`, state: 'done', create_date: noon },
  ...change,
})

interface Row {
  parse(value: unknown): unknown
}

interface Books {
  readonly sales: readonly ReturnType<typeof createSale>[]
  readonly moves?: readonly object[]
  readonly invoices?: readonly { readonly id: number; readonly state: string }[]
  readonly shipments?: readonly object[]
}

/** A Tryton with sales of two units, each with a shipment that has left, and without holds. */
function createOrders({ sales, moves, shipments, invoices = [] }: Books): Orders {
  const rows: Record<string, readonly object[]> = {
    'sale.sale': sales,
    'sale.line': sales.map(({ id }) => createLine(id)),
    'stock.shipment.out': shipments ?? sales.map(({ id }) => createShipment(id)),
    'stock.move': moves ?? sales.map(({ id }) => createMove(id)),
    'account.invoice': invoices,
  }
  const searchRead = async (model: string, domain: readonly (readonly unknown[])[], row: Row) => {
    const [clause] = domain
    const wanted = model === 'sale.sale' ? (clause?.[2] as readonly string[]) : undefined
    return (rows[model] ?? [])
      .filter((each) => !wanted || wanted.includes((each as { web_id: string }).web_id))
      .map((each) => row.parse(each))
  }
  const places = {
    ...{ minorUnits: 100, currency: 'AUD', timezone: 'UTC', modules: new Set<string>() },
    warehouses: [{ id: stores, code: 'MAIN', output }],
    carriers: [{ id: 1, code: 'FRT', name: 'N'.repeat(150), days: [1, 2] }],
  }
  // Documents use no other part of a connector.
  const connector = { rpc: { searchRead, userId: connectorUser }, places, config: { dispatch_days: [0, 1] } }
  return { connector: connector as unknown as Connector } as unknown as Orders
}

const readReferences = async (orders: Orders, references: readonly string[]) =>
  (await readDocuments(orders, references)).documents.map(({ reference }) => reference)

async function readOne(books: Omit<Books, 'sales'>, change?: object): Promise<ErpDocument> {
  const { documents } = await readDocuments(createOrders({ sales: [createSale(1, change)], ...books }), [
    'R-1',
  ])
  return erpDocument.parse(documents[0])
}

describe('Documents of sales', () => {
  it('are those of the gateway, whatever other channels have sold from other warehouses', async () => {
    const foreign = { description: 'Vue Storefront', warehouse: 9 }
    const sales = [createSale(1), createSale(2, foreign), createSale(3, { ...foreign, description: null })]
    const orders = createOrders({ sales })
    expect(await readReferences(orders, ['R-1', 'R-2', 'R-3'])).toEqual(['R-1'])
    expect(await readReferences(orders, ['R-2'])).toEqual([])
  })

  it('of the gateway are never left out: one that cannot be reported fails its call, and no other', async () => {
    const fromHold = { description: 'Trade Gateway, from hold H-1' }
    const orders = createOrders({ sales: [createSale(1, fromHold), createSale(2, { warehouse: 9 })] })
    await expect(readDocuments(orders, ['R-1', 'R-2'])).rejects.toThrow('not in the configuration')
    await expect(readDocuments(orders, ['R-2'])).rejects.toThrow('not in the configuration')
    expect(await readReferences(orders, ['R-1'])).toEqual(['R-1'])
  })

  it('have in their shipments what staff have added, and nothing of which no unit has left', async () => {
    const gift = createMove(1, { product: 2, quantity: 1, 'product.': { code: 'GIFT' } })
    const none = createMove(1, { product: 3, quantity: 0, 'product.': { code: 'NONE' } })
    const codeless = createMove(1, { product: 4, 'product.': { code: null } })
    const { shipments } = await readOne({ moves: [createMove(1), gift, none, codeless] })
    expect(shipments.map(({ lines }) => lines)).toEqual([
      [
        { sku: 'TEE-M', quantity: 2 },
        { sku: 'GIFT', quantity: 1 },
      ],
    ])
  })

  it('have the name of a carrier at most as long as the protocol takes it', async () => {
    const { shipments } = await readOne({})
    expect(shipments.map(({ carrier }) => carrier)).toEqual(['N'.repeat(100)])
  })

  it.each([
    ['sent', [['done', staff]], 'shipped'],
    // Tryton has not yet created the shipment of what is missing.
    ['waiting', [['done', staff]], 'open'],
    // Tryton asks staff whether to deliver again.
    ['exception', [['cancelled', staff]], 'open'],
    [
      'exception',
      [
        ['done', staff],
        ['cancelled', staff],
      ],
      'open',
    ],
    [
      'exception',
      [
        ['cancelled', staff],
        ['waiting', connectorUser],
      ],
      'open',
    ],
    ['sent', [['cancelled', staff]], 'cancelled'],
    [
      'sent',
      [
        ['done', staff],
        ['cancelled', staff],
      ],
      'shipped',
    ],
    [
      'sent',
      [
        ['cancelled', staff],
        ['done', staff],
      ],
      'shipped',
    ],
    // A void of the gateway answers Tryton itself.
    ['exception', [['cancelled', connectorUser]], 'cancelled'],
    [
      'exception',
      [
        ['cancelled', staff],
        ['cancelled', connectorUser],
      ],
      'cancelled',
    ],
    [
      'exception',
      [
        ['done', staff],
        ['cancelled', connectorUser],
      ],
      'open',
    ],
  ] as const)('are final once Tryton delivers nothing more: %s, %j is %s', async (state, ends, status) => {
    const shipments = ends.map(([each, write_uid], index) =>
      createShipment(index + 1, { state: each, write_uid }),
    )
    const change = { shipment_state: state, shipments: shipments.map(({ id }) => id) }
    expect((await readOne({ shipments, moves: [] }, change)).status).toBe(status)
  })

  it.each([
    [['paid', 'paid'], true],
    [['paid', 'cancelled'], true],
    [['paid', 'posted'], false],
    [['cancelled'], false],
    [[], false],
  ])('are paid if every invoice is that was not cancelled: %j', async (states, paid) => {
    const invoices = states.map((state, index) => ({ id: index + 1, state }))
    const document = await readOne({ invoices }, { invoices: invoices.map(({ id }) => id) })
    expect(document.paid).toBe(paid)
  })
})
