import { describe, expect, it } from 'vitest'
import type { OrderLine } from '../../sandbox-erp/src/catalogue/order-lines.ts'
import { matchVoids } from '../src/order-replay/cancellations.ts'
import { InvoiceCollector, type Invoices, maxLines, maxUnits } from '../src/order-replay/invoices.ts'
import { computeOpeningStock, formatCatalogue } from '../src/order-replay/opening-stock.ts'

interface Sold {
  readonly invoice_no?: string
  readonly sku?: string
  readonly quantity?: number
  readonly unit_price?: string
  readonly customer_id?: string | null
}

function createCollector(...lines: Sold[]): InvoiceCollector {
  const collector = new InvoiceCollector()
  for (const line of lines) collector.add(createOrderLine(line))
  return collector
}

function createOrderLine({
  invoice_no = '1',
  sku = 'MUG',
  quantity = 1,
  unit_price = '1.00',
  customer_id = 'ann',
}: Sold) {
  const is_cancellation = invoice_no.startsWith('C')
  const rest = { line: 2, description: '', invoice_date: '2024-03-01 12:00:00', country: '' }
  const line: OrderLine = {
    ...rest,
    invoice_no,
    stock_code: sku,
    quantity,
    unit_price,
    customer_id,
    is_cancellation,
  }
  return line
}

const acceptAll = () => true
const listGoods = ({ orders }: Invoices) =>
  orders.map(({ client_order_number, goods }) => [client_order_number, Object.fromEntries(goods)])

describe('the orders of invoices', () => {
  it('have one line for each SKU, and are sorted by the start of the invoices', () => {
    const invoices = createCollector(
      { quantity: 2 },
      { invoice_no: '2', sku: 'TIN', quantity: 5 },
      { sku: 'TIN', quantity: 1 },
      { quantity: 3 },
    ).createInvoices(acceptAll)
    expect(listGoods(invoices)).toEqual([
      ['1', { MUG: 5, TIN: 1 }],
      ['2', { TIN: 5 }],
    ])
    expect(invoices.figures).toEqual({ invoices: 2, split: 0, lines: 3 })
  })

  it('leave out what cannot be ordered, each with its reason', () => {
    const { orders, left_out } = createCollector(
      { sku: 'POST' },
      { quantity: -3 },
      { unit_price: '0.00' },
      { sku: 'TIN', quantity: maxUnits },
      { sku: 'TIN', quantity: 1 },
      { invoice_no: '2', quantity: 0 },
    ).createInvoices((sku) => sku !== 'POST')
    expect(orders.map(({ client_order_number }) => client_order_number)).toEqual(['1'])
    expect(Object.fromEntries(left_out.lines)).toEqual({
      'the stock code is not in the catalogue': 1,
      'the quantity is not above 0: written off': 2,
      'the price is 0: given away, or a correction': 1,
      'more than 999999 units of one SKU': 1,
    })
    expect(Object.fromEntries(left_out.invoices)).toEqual({ 'no line of it can be ordered': 1 })
  })

  it('are several where an invoice has more than 500 SKUs', () => {
    const long = Array.from({ length: 2 * maxLines + 1 }, (_, at) => ({ sku: `SKU-${at}` }))
    const { orders, figures } = createCollector(...long).createInvoices(acceptAll)
    expect(orders.map(({ client_order_number, goods }) => [client_order_number, goods.size])).toEqual([
      ['1', maxLines],
      ['1-2', maxLines],
      ['1-3', 1],
    ])
    expect(figures).toEqual({ invoices: 1, split: 1, lines: 2 * maxLines + 1 })
    const exact = createCollector(...long.slice(0, maxLines)).createInvoices(acceptAll)
    expect(exact.orders).toHaveLength(1)
    expect(createCollector(...long).createInvoices(acceptAll, 200).orders).toHaveLength(6)
  })
})

describe('the voids of cancellations', () => {
  const findVoids = (...lines: Sold[]) => {
    const { orders, cancellations, left_out } = createCollector(...lines).createInvoices(acceptAll)
    return {
      voids: matchVoids(orders, cancellations, left_out.cancellations),
      left_out: left_out.cancellations,
    }
  }

  it('take the latest order that has exactly what is taken back, before one that has more', () => {
    const { voids: found } = findVoids(
      { invoice_no: '1', quantity: 4 },
      { invoice_no: '2', quantity: 4 },
      { invoice_no: '3', quantity: 9 },
      { invoice_no: 'C1', quantity: -1 },
      { invoice_no: 'C1', quantity: -3 },
      { invoice_no: 'C2', quantity: -4 },
      { invoice_no: 'C3', quantity: -4 },
    )
    expect(found).toEqual([
      { invoice_no: 'C1', client_order_number: '2', isExact: true, orders_before: 3 },
      { invoice_no: 'C2', client_order_number: '1', isExact: true, orders_before: 3 },
      { invoice_no: 'C3', client_order_number: '3', isExact: false, orders_before: 3 },
    ])
  })

  it('are none for what was not bought before, by this customer, in this quantity, or was voided already', () => {
    const { voids: found, left_out } = findVoids(
      { invoice_no: 'C0', quantity: -1 },
      { invoice_no: '1', quantity: 4 },
      { invoice_no: 'C1', quantity: -5 },
      { invoice_no: 'C2', quantity: -1, customer_id: 'bob' },
      { invoice_no: 'C3', quantity: -1, customer_id: null },
      { invoice_no: 'C4', quantity: -1, sku: 'TIN' },
      { invoice_no: 'C5', quantity: -4 },
      { invoice_no: 'C6', quantity: -4 },
      { invoice_no: 'C7', quantity: 4 },
    )
    expect(found.map(({ invoice_no }) => invoice_no)).toEqual(['C5'])
    expect(Object.fromEntries(left_out)).toEqual({
      'no placed order of its customer has the returned goods': 5,
      'its customer is unknown': 1,
      'no line of it takes goods back': 1,
    })
  })
})

describe('the opening stock', () => {
  const { orders } = createCollector(
    { quantity: 3 },
    { sku: 'TIN', quantity: 1 },
    { invoice_no: '2', quantity: 4 },
  ).createInvoices(acceptAll)
  const opening = computeOpeningStock(orders)

  it('is twice what is ordered, in two warehouses', () => {
    expect(Object.fromEntries(opening.get('AUSYD1') ?? [])).toEqual({ MUG: 4, TIN: 1 })
    expect(Object.fromEntries(opening.get('AUSYD2') ?? [])).toEqual({ MUG: 10, TIN: 1 })
  })

  it('fills a repeated order from one warehouse, if the ERP takes one for an order', () => {
    const second = computeOpeningStock(orders, { allocates_from: 'one' }).get('AUSYD2')
    expect(Object.fromEntries(second ?? [])).toEqual({ MUG: 14, TIN: 2 })
  })

  it('has no ordered SKU that the customer may not order', () => {
    const skus = Array.from({ length: 60 }, (_, at) => `SKU-${at}`)
    const all = createCollector(...skus.map((sku) => ({ sku }))).createInvoices(acceptAll)
    const rows = [...skus, 'NEVER'].map((sku) => ({
      sku,
      name: sku,
      price_wholesale: 5,
      price_retail: 9,
      quantity: 0,
    }))
    const text = formatCatalogue(rows, computeOpeningStock(all.orders))
    const listed = [
      ...new Set(
        text
          .split('\n')
          .slice(1)
          .flatMap((line) => line.split(',')[0] || []),
      ),
    ]
    expect(listed.filter((sku) => !sku.startsWith('UNSOLD-'))).toEqual(skus)
    const blocked = listed.filter((_, place) => place % 20 === 19)
    expect(blocked).toEqual(['UNSOLD-1', 'UNSOLD-2', 'UNSOLD-3'])
  })
})
