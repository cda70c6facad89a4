import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readCatalogueFile } from './file.ts'
import { type CatalogueOfOrders, createCatalogueFromOrders, toCatalogueCsv } from './from-orders.ts'
import { type InvalidLine, type OrderLine, readOrderLines } from './order-lines.ts'

const header = 'InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country\n'
let directory = ''

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'catalogue-orders-'))
})
afterAll(() => rm(directory, { recursive: true }))

async function writeOrders(lines: string): Promise<string> {
  const path = join(directory, 'orders.csv')
  await writeFile(path, header + lines)
  return path
}

async function readLines(path: string, invalid: InvalidLine[] = []): Promise<OrderLine[]> {
  const lines: OrderLine[] = []
  for await (const line of readOrderLines(path, { onInvalid: (message) => invalid.push(message) }))
    lines.push(line)
  return lines
}

async function readCatalogue(lines: string): Promise<CatalogueOfOrders> {
  return createCatalogueFromOrders(readOrderLines(await writeOrders(lines)))
}

const orders =
  '536365,85123A,WHITE HEART HOLDER ,6,2010-12-01 08:26:00,2.55,17850.0,United Kingdom\n' +
  '536366,85123A,"HEART, WHITE",2,2010-12-03 09:00:00,2.95,,EIRE\n' +
  'C536367,85123A,WHITE HEART HOLDER,-3,2010-12-02 10:00:00,2.55,17850.0,United Kingdom\n' +
  '536368,85123A,,-9,2010-12-09 10:00:00,0.0,,United Kingdom\n' +
  '536369,85123a,WHITE HEART HOLDER,4,2010-12-04 10:00:00,5.06,,United Kingdom\n' +
  '536370,POST,POSTAGE,1,2010-12-04 10:00:00,18.0,12583.0,France\n' +
  '536371,21777,,10,2010-12-04 11:00:00,0.0,,United Kingdom\n' +
  '536372,22222,GIVEN AWAY,10,2010-12-04 11:00:00,0.0,,United Kingdom\n'

describe('a catalogue of orders', () => {
  it('has one row for each stock code that can be sold, and counts the others by reason', async () => {
    const made = await readCatalogue(orders)
    expect(made.rows).toEqual([
      { sku: '85123A', name: 'WHITE HEART HOLDER', price_wholesale: 295, price_retail: 590, quantity: 8 },
      { sku: '85123a', name: 'WHITE HEART HOLDER', price_wholesale: 506, price_retail: 1012, quantity: 4 },
    ])
    expect(made).toMatchObject({ lines: 8, stock_codes: 5, rounded: 0 })
    expect(Object.fromEntries(made.left_out)).toEqual({
      'not goods, or not sold as such': 1,
      'never described': 1,
      'never sold at a price above 0': 1,
    })
  })

  it('takes the latest price by date, and by line where dates are equal', async () => {
    const { rows } = await readCatalogue(
      '1,10001,A,1,2011-01-02 00:00:00,3.00,,X\n2,10001,A,1,2011-01-01 00:00:00,9.00,,X\n' +
        '3,10001,A,1,2011-01-02 00:00:00,4.00,,X\n4,10001,A,1,2011-01-03 00:00:00,0.0,,X\n' +
        '5,10001,A,1,2011-01-03 00:00:00,-5.00,,X\n',
    )
    expect(rows[0]?.price_wholesale).toBe(400)
  })

  it('takes the name used most, and of names used equally the one seen last', async () => {
    const { rows } = await readCatalogue(
      '1,10001,OLD,1,2011-01-01 00:00:00,1.00,,X\n2,10001,NEW,1,2011-01-01 00:00:00,1.00,,X\n' +
        '3,10002,NEW,1,2011-01-01 00:00:00,1.00,,X\n4,10002,OLD,1,2011-01-01 00:00:00,1.00,,X\n' +
        '5,10002,NEW,1,2011-01-01 00:00:00,1.00,,X\n6,10002,OLD,1,2011-01-01 00:00:00,1.00,,X\n',
    )
    expect(rows.map(({ name }) => name)).toEqual(['NEW', 'OLD'])
  })

  it('rounds a price of more than two decimals and reports it, and leaves out one that rounds to zero', async () => {
    const { rows, rounded, left_out } = await readCatalogue(
      '1,10001,A,1,2011-01-01 00:00:00,1.005,,X\n2,10002,B,1,2011-01-01 00:00:00,0.001,,X\n',
    )
    expect(rows.map((row) => row.price_wholesale)).toEqual([101])
    expect(rounded).toBe(1)
    expect(left_out.get('the latest price rounds to 0.00')).toBe(1)
  })

  it.each(['10002', '85123A', '15056BL', '15056bl', '84997ABC', 'DCGS0076', 'DCGSSBOY'])(
    'takes %s for goods',
    async (code) => {
      const { rows } = await readCatalogue(`1,${code},A,1,2011-01-01 00:00:00,1.00,,X\n`)
      expect(rows.map(({ sku }) => sku)).toEqual([code])
    },
  )

  it.each([
    'POST',
    'DOT',
    'D',
    'M',
    'm',
    'C2',
    'S',
    'BANK CHARGES',
    'AMAZONFEE',
    'gift_0001_20',
    'PADS',
    '23444',
  ])('does not take %s for goods', async (code) => {
    const { rows, left_out } = await readCatalogue(`1,${code},A,1,2011-01-01 00:00:00,1.00,,X\n`)
    expect(rows).toEqual([])
    expect([...left_out]).toEqual([['not goods, or not sold as such', 1]])
  })

  it('passes over descriptions that no catalogue can have', async () => {
    const { rows } = await readCatalogue(
      `1,10001,"TWO\nLINES",1,2011-01-01 00:00:00,1.00,,X\n2,10001,"TWO\nLINES",1,2011-01-01 00:00:00,1.00,,X\n` +
        `3,10001,${'N'.repeat(201)},1,2011-01-01 00:00:00,1.00,,X\n4,10001,FINE,1,2011-01-01 00:00:00,1.00,,X\n`,
    )
    expect(rows.map(({ name }) => name)).toEqual(['FINE'])
  })

  it('is a catalogue file that loads completely', async () => {
    const { rows } = await readCatalogue(
      `${orders}9,10009,"A ""B"", C",5,2011-01-01 00:00:00,0.1,,X\n9,10008," ?",5,2011-01-01 00:00:00,7.0,,X\n`,
    )
    const path = join(directory, 'catalogue.csv')
    await writeFile(path, toCatalogueCsv(rows, 'CHNZJ1'))
    const catalogue = await readCatalogueFile(path, { today: '2026-08-31' })
    expect(catalogue.left_out).toEqual([])
    const read = catalogue.stock.map(({ sku, price_wholesale, price_retail, quantity }, index) => {
      const name = catalogue.products[index]?.names.en
      return { sku, name, price_wholesale, price_retail, quantity }
    })
    expect(read).toEqual(rows)
    expect(catalogue.products[0]?.currency).toBe('CNY')
  })
})

describe('order lines', () => {
  it('are read as the shop kept them', async () => {
    const lines = await readLines(await writeOrders(orders))
    expect(lines).toHaveLength(8)
    expect(lines[0]).toEqual({
      line: 2,
      invoice_no: '536365',
      stock_code: '85123A',
      description: 'WHITE HEART HOLDER ',
      quantity: 6,
      invoice_date: '2010-12-01 08:26:00',
      unit_price: '2.55',
      customer_id: '17850',
      country: 'United Kingdom',
      is_cancellation: false,
    })
    expect(lines[1]?.customer_id).toBeNull()
    expect(lines[2]).toMatchObject({ invoice_no: 'C536367', quantity: -3, is_cancellation: true })
  })

  it('are unpacked from a .gz file, whatever the order of the columns', async () => {
    const path = join(directory, 'orders.csv.gz')
    await writeFile(
      path,
      gzipSync(
        'Country,CustomerID,UnitPrice,InvoiceDate,Quantity,Description,StockCode,InvoiceNo\n' +
          'X,1,2.55,2010-12-01 08:26:00,6,HOLDER,85123A,536365\n',
      ),
    )
    const lines = await readLines(path)
    expect(lines).toMatchObject([{ invoice_no: '536365', stock_code: '85123A', unit_price: '2.55' }])
  })

  it.each([
    [',10001,A,1,2011-01-01 00:00:00,1.00,,X', 'the InvoiceNo is empty', ''],
    ['1,,A,1,2011-01-01 00:00:00,1.00,,X', 'the StockCode is empty', ''],
    [
      '1,10001,A,six,2011-01-01 00:00:00,1.00,,X',
      'the Quantity is not a whole number of at most 8 digits',
      'six',
    ],
    [
      '1,10001,A,1.5,2011-01-01 00:00:00,1.00,,X',
      'the Quantity is not a whole number of at most 8 digits',
      '1.5',
    ],
    ['1,10001,A,1,1/2/2011 8:26,1.00,,X', 'the InvoiceDate is not like 2010-12-01 08:26:00', '1/2/2011 8:26'],
    ['1,10001,A,1,2011-01-01 00:00:00,cheap,,X', 'the UnitPrice is not a number', 'cheap'],
    ['1,10001,A,1', 'it has more or fewer fields than the header', '1,10001,A,1'],
  ])('pass over a line that is none, and tell why: %s', async (line, reason, value) => {
    const invalid: InvalidLine[] = []
    const path = await writeOrders(`${line}\n1,10001,A,1,2011-01-01 00:00:00,1.00,,X\n`)
    const lines = await readLines(path, invalid)
    expect(invalid).toEqual([{ line: 2, reason, value }])
    expect(lines.map(({ line }) => line)).toEqual([3])
  })

  it('are refused with a sentence when a column is missing or the file is empty', async () => {
    const path = join(directory, 'bad.csv')
    await writeFile(path, 'InvoiceNo,StockCode,Quantity\n')
    await expect(readLines(path)).rejects.toThrow(
      /lacks the columns Description, InvoiceDate, UnitPrice, CustomerID, Country\. It has: "InvoiceNo",/,
    )
    await writeFile(path, '')
    await expect(readLines(path)).rejects.toThrow(/is empty\.$/)
  })
})
