import { describe, expect, it } from 'vitest'
import type { OrderLine } from '../../sandbox-erp/src/catalogue/order-lines.ts'
import { generateOrders } from '../src/generate-orders.ts'
import { Months } from '../src/months.ts'
import { chooseMonth, NoSuchMonth } from '../src/orders.ts'
import { toMovement } from '../src/sales.ts'

function createMonths(...dates: string[]): Months {
  const months = new Months()
  for (const date of dates) months.add(`${date} 12:00:00`)
  return months
}

function createLine(invoice_no: string, quantity: number, stock_code = 'MUG'): OrderLine {
  return {
    line: 7,
    invoice_no,
    stock_code,
    description: '',
    quantity,
    invoice_date: '2024-03-01 12:00:00',
    unit_price: '1.00',
    customer_id: null,
    country: '',
    is_cancellation: invoice_no.startsWith('C'),
  }
}

describe('the month that is replayed', () => {
  it('is the first of which the lines reach from its first day to its last', () => {
    expect(chooseMonth(createMonths('2010-12-01', '2010-12-31', '2011-01-04'), undefined)).toBe('2010-12')
    expect(chooseMonth(createMonths('2010-12-02', '2011-01-31'), undefined)).toBe('2011-01')
    expect(chooseMonth(createMonths('2024-03-05', '2024-01-30', '2024-02-09'), undefined)).toBe('2024-02')
    expect(chooseMonth(createMonths('2024-02-01', '2024-02-29'), undefined)).toBe('2024-02')
  })

  it('must be named where none is whole, and must have lines', () => {
    const months = createMonths('2024-02-01', '2024-02-28')
    expect(() => chooseMonth(months, undefined)).toThrow(NoSuchMonth)
    expect(chooseMonth(months, '2024-02')).toBe('2024-02')
    expect(() => chooseMonth(months, '2024-03')).toThrow('The file has no lines of 2024-03; it has 2024-02.')
  })
})

describe('an order line', () => {
  const isGoods = (sku: string) => sku === 'MUG'

  it('takes goods out of stock; a cancellation brings them back; a loss takes them out', () => {
    expect(toMovement(createLine('1', 6), isGoods)).toEqual({
      line: 7,
      sku: 'MUG',
      quantity: -6,
      kind: 'sale',
    })
    expect(toMovement(createLine('C1', -6), isGoods)).toMatchObject({ quantity: 6, kind: 'return' })
    expect(toMovement(createLine('1', -6), isGoods)).toMatchObject({ quantity: -6, kind: 'write-off' })
  })

  it('is no movement if no SKU of it is in stock, and has a reason', () => {
    expect(toMovement(createLine('1', 1, 'POST'), isGoods)).toContain('not in the catalogue')
    expect(toMovement(createLine('1', 0), isGoods)).toBe('the quantity is 0')
    expect(toMovement(createLine('C1', 6), isGoods)).toBe('a cancellation of a positive quantity')
  })
})

describe('the generated orders', () => {
  it('are the same every time', () => {
    const text = generateOrders()
    expect(generateOrders()).toBe(text)
    expect(text.split('\n')).toHaveLength(4504)
  })
})
