import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { erpProduct } from '@trade-gateway/connector'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Catalogue } from './catalogue.ts'
import { CatalogueError, readCatalogueFile } from './file.ts'

const today = '2026-08-31'
let directory = ''

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'catalogue-file-'))
})
afterAll(() => rm(directory, { recursive: true }))

async function read(text: string | Buffer): Promise<Catalogue> {
  const path = join(directory, 'catalogue.csv')
  await writeFile(path, text)
  return readCatalogueFile(path, { today })
}

const plain = 'sku,name,price_wholesale\nGOOD-1,Good,1.00\n'

describe('a catalogue file', () => {
  it('needs a SKU, a name and a wholesale price, and supposes the rest', async () => {
    const { products, stock, left_out } = await read('sku,name,price_wholesale\nMUG-1,Blue Mug,12.5\n')
    expect(products).toEqual([
      {
        product_code: 'MUG-1',
        names: { en: 'Blue Mug' },
        brand: null,
        category: null,
        season: null,
        status: 'active',
        images: [],
        price_wholesale: 1250,
        price_retail: 2500,
        currency: 'AUD',
        skus: [
          {
            sku: 'MUG-1',
            barcode: null,
            color: null,
            size: null,
            price_wholesale: 1250,
            price_retail: 2500,
            weight_g: null,
          },
        ],
        updated_at: '2026-08-31T00:00:00.000Z',
      },
    ])
    expect(stock).toEqual([
      {
        warehouse_code: 'AUSYD1',
        sku: 'MUG-1',
        quantity: 0,
        price_wholesale: 1250,
        price_retail: 2500,
        incoming: [],
      },
    ])
    expect(left_out).toEqual([])
    expect(erpProduct.safeParse(products[0]).success).toBe(true)
  })

  it('may have every column, in any order and spelling of the header', async () => {
    const { products, stock, left_out } = await read(
      'Brand,CATEGORY,Name KO,name-zh,Weight G,Size,Color,Barcode,Warehouse Code,quantity,Price-Retail,Price Wholesale,Name,Product Code,SKU\n' +
        'Kilnbright,Tableware,파란 머그컵,蓝色马克杯,340,ONE,Blue,2900000000018,CHNZJ1,7,99.95,47,Blue Mug,MUG,MUG-BLU\n',
    )
    expect(left_out).toEqual([])
    expect(products[0]).toMatchObject({
      product_code: 'MUG',
      names: { en: 'Blue Mug', zh: '蓝色马克杯', ko: '파란 머그컵' },
      brand: 'Kilnbright',
      category: 'Tableware',
      currency: 'CNY',
      skus: [{ sku: 'MUG-BLU', barcode: '2900000000018', color: 'Blue', size: 'ONE', weight_g: 340 }],
    })
    expect(stock[0]).toMatchObject({
      warehouse_code: 'CHNZJ1',
      quantity: 7,
      price_wholesale: 4700,
      price_retail: 9995,
    })
  })

  it('may begin with a byte order mark and end its lines with CRLF', async () => {
    const { products, stock, left_out } = await read(
      '\ufeffsku,name,price_wholesale,quantity\r\nA,One,1.00,3\r\n\r\nB,Two,2.00,4\r\n',
    )
    expect(products.map(({ names }) => names.en)).toEqual(['One', 'Two'])
    expect(stock.map(({ quantity }) => quantity)).toEqual([3, 4])
    expect(left_out).toEqual([])
  })

  it('may quote commas and quotes', async () => {
    const { products } = await read('sku,name,price_wholesale\n"A,1","The ""big"" one, red",1.00\n')
    expect(products[0]).toMatchObject({ product_code: 'A,1', names: { en: 'The "big" one, red' } })
  })

  it('takes prices digit by digit', async () => {
    const { products } = await read(
      'sku,name,price_wholesale\nA,a,1.1\nB,b,0.29\nC,c,4.35\nD,d,999999999999.99\n',
    )
    expect(products.map((product) => product.price_wholesale)).toEqual([110, 29, 435, 99_999_999_999_999])
  })

  it('keeps SKUs byte for byte: those that differ only by case are two', async () => {
    const { products } = await read('sku,name,price_wholesale\n15056BL,Parasol,5.95\n15056bl,Parasol,12.46\n')
    expect(products.map(({ product_code }) => product_code)).toEqual(['15056BL', '15056bl'])
  })

  it('gathers the SKUs of a product under the name of its first line', async () => {
    const { products, left_out } = await read(
      'product_code,sku,name,price_wholesale\nTEE,TEE-S,Tee,5\nCAP,CAP,Cap,3\nTEE,TEE-M,Tee again,6\n',
    )
    expect(left_out).toEqual([])
    expect(products.map(({ product_code, skus }) => [product_code, skus.length])).toEqual([
      ['TEE', 2],
      ['CAP', 1],
    ])
    expect(products[0]).toMatchObject({ names: { en: 'Tee' }, price_wholesale: 500 })
    expect(products[0]?.skus.map((sku) => sku.price_wholesale)).toEqual([500, 600])
  })

  it('lets each warehouse have its own price and quantity of a SKU, the first line naming and listing it', async () => {
    const { products, stock, left_out } = await read(
      'sku,product_code,name,price_wholesale,quantity,warehouse_code\n' +
        'A,P,First,10,1,AUSYD1\nA,,Second,47,2,CHNZJ1\nA,P,Third,11,3,AUSYD2\n',
    )
    expect(left_out).toEqual([])
    expect(products).toHaveLength(1)
    expect(products[0]).toMatchObject({
      names: { en: 'First' },
      currency: 'AUD',
      skus: [{ price_wholesale: 1000 }],
    })
    expect(stock.map((row) => [row.warehouse_code, row.price_wholesale, row.quantity])).toEqual([
      ['AUSYD1', 1000, 1],
      ['CHNZJ1', 4700, 2],
      ['AUSYD2', 1100, 3],
    ])
  })

  it('lists a SKU at its price in the currency of its product, whichever of its lines comes first', async () => {
    const { products, left_out } = await read(
      'sku,product_code,name,price_wholesale,warehouse_code\n' +
        'A,P,a,10,AUSYD1\nB,P,b,47,CHNZJ1\nB,P,b,11,AUSYD2\nC,P,c,52,CHNZJ1\n',
    )
    expect(products[0]?.skus.map(({ sku, price_wholesale }) => [sku, price_wholesale])).toEqual([
      ['A', 1000],
      ['B', 1100],
    ])
    expect(left_out).toEqual([
      { line: 5, sku: 'C', reason: 'the product "P" is listed in AUD, and the SKU has a price in CNY only' },
    ])
  })
})

describe('a line that cannot be used is left out, with its number and the reason', () => {
  const header =
    'sku,name,price_wholesale,price_retail,quantity,warehouse_code,product_code,weight_g,barcode,name_zh'
  it.each([
    [',Name,1,,,,,,,', '', 'the SKU is empty'],
    [
      `${'S'.repeat(65)},Name,1,,,,,,,`,
      'S'.repeat(64),
      `the SKU "${'S'.repeat(40)}…" has more than 64 characters`,
    ],
    [' A,Name,1,,,,,,,', ' A', 'the SKU " A" begins or ends with a space'],
    ['A\u00a0,Name,1,,,,,,,', 'A\u00a0', 'the SKU "A\u00a0" begins or ends with a space'],
    ['A\u0007B,Name,1,,,,,,,', 'A\u0007B', 'the SKU "A\\u0007B" has characters that cannot be printed'],
    ['A\u200bB,Name,1,,,,,,,', 'A\u200bB', 'the SKU "A\\u200bB" has characters that cannot be printed'],
    ['Cafe\u0301,Name,1,,,,,,,', 'Cafe\u0301', 'the SKU "Cafe\u0301" is not in Unicode normal form NFC'],
    ['A,,1,,,,,,,', 'A', 'the name is empty'],
    ['A,  ,1,,,,,,,', 'A', 'the name is empty'],
    [`A,${'n'.repeat(201)},1,,,,,,,`, 'A', `the name "${'n'.repeat(40)}…" has more than 200 characters`],
    ['A,"two\nlines",1,,,,,,,', 'A', 'the name "two\\nlines" has control characters'],
    ['A,Name,,,,,,,,', 'A', 'the price is empty'],
    ['A,Name,abc,,,,,,,', 'A', 'the price "abc" is not a number like 12.50 of at most 12 whole digits'],
    ['A,Name,1e3,,,,,,,', 'A', 'the price "1e3" is not a number like 12.50 of at most 12 whole digits'],
    ['A,Name, 1,,,,,,,', 'A', 'the price " 1" is not a number like 12.50 of at most 12 whole digits'],
    ['A,Name,"1,50",,,,,,,', 'A', 'the price "1,50" is not a number like 12.50 of at most 12 whole digits'],
    ['A,Name,-1.50,,,,,,,', 'A', 'the price -1.50 is negative'],
    ['A,Name,0,,,,,,,', 'A', 'price 0: not for sale'],
    ['A,Name,0.00,,,,,,,', 'A', 'price 0: not for sale'],
    ['A,Name,1.005,,,,,,,', 'A', 'the price 1.005 has more than 2 decimals'],
    ['A,Name,1,0,,,,,,', 'A', 'price_retail 0: not for sale'],
    ['A,Name,1,x,,,,,,', 'A', 'the price_retail "x" is not a number like 12.50 of at most 12 whole digits'],
    ['A,Name,1,,-1,,,,,', 'A', 'the quantity "-1" is not a whole number from 0 on of at most 15 digits'],
    ['A,Name,1,,1.5,,,,,', 'A', 'the quantity "1.5" is not a whole number from 0 on of at most 15 digits'],
    ['A,Name,1,,,AUMEL1,,,,', 'A', 'the warehouse "AUMEL1" is none of AUSYD1, AUSYD2, CHNZJ1'],
    ['A,Name,1,,,, P,,,', 'A', 'the product_code " P" begins or ends with a space'],
    [
      'A,Name,1,,,,,heavy,,',
      'A',
      'the weight_g "heavy" is not a whole number from 0 on of at most 15 digits',
    ],
    [`A,Name,1,,,,,,${'1'.repeat(65)},`, 'A', `the barcode "${'1'.repeat(40)}…" has more than 64 characters`],
    [
      `A,Name,1,,,,,,,${'字'.repeat(201)}`,
      'A',
      `the name_zh "${'字'.repeat(40)}…" has more than 200 characters`,
    ],
    ['A,Name,1', 'A', 'the line has 3 fields where the header has 10'],
    ['A,Name,1,,,,,,,,', 'A', 'the line has 11 fields where the header has 10'],
    ['GOOD,Again,2,,,,,,,', 'GOOD', 'the SKU already stands in line 2 for the warehouse AUSYD1'],
    [
      'GOOD,Other,2,,,CHNZJ1,OTHER,,,',
      'GOOD',
      'the product_code "OTHER" is another than "GOOD" of an earlier line',
    ],
  ])('%j', async (line, sku, reason) => {
    const { products, stock, left_out } = await read(`${header}\nGOOD,Good,1,,,,,,,\n${line}\n`)
    expect(left_out).toEqual([{ line: 3, sku, reason }])
    expect(products.map(({ product_code }) => product_code)).toEqual(['GOOD'])
    expect(stock).toHaveLength(1)
  })

  it('counts lines as the file has them, also after quoted line breaks and empty lines', async () => {
    const { left_out } = await read(
      'sku,name,price_wholesale\r\nA,"two\r\nlines",1\r\n\r\nB,b,0\r\nC,c,1\r\nD,"x\r\n\r\ny",1\r\nE,e,-1\r\n',
    )
    expect(left_out.map(({ line, sku }) => [line, sku])).toEqual([
      [2, 'A'],
      [5, 'B'],
      [7, 'D'],
      [10, 'E'],
    ])
  })

  it('when its product has 500 SKUs already', async () => {
    const lines = Array.from({ length: 502 }, (_, index) => `S-${index},P,Name,1`)
    const { products, left_out } = await read(`sku,product_code,name,price_wholesale\n${lines.join('\n')}`)
    expect(products[0]?.skus).toHaveLength(500)
    expect(left_out).toEqual([
      { line: 502, sku: 'S-500', reason: 'the product "P" already has 500 SKUs' },
      { line: 503, sku: 'S-501', reason: 'the product "P" already has 500 SKUs' },
    ])
  })

  it('and so is a column that is not known', async () => {
    const { products, left_out } = await read('sku,Supplier,name,price_wholesale\nA,x,Name,1\n')
    expect(products).toHaveLength(1)
    expect(left_out).toEqual([
      { line: 1, sku: '', reason: 'the column "Supplier" is not known and not read' },
    ])
  })
})

describe('a file that cannot be used is refused with a sentence', () => {
  it.each([
    ['', /is empty\.$/],
    ['sku,title\nA,B\n', /lacks the columns name, price_wholesale\. It has: "sku", "title"\.$/],
    [
      'sku;name;price_wholesale\n',
      /lacks the columns sku, name, price_wholesale\. It has: "sku;name;price_whole/,
    ],
    ['sku,SKU,name,price_wholesale\n', /has the column sku twice\.$/],
    ['sku,name,price_wholesale\n', /has no line that can be used\. It has no line below the header\.$/],
    [
      'sku,name,price_wholesale\nA,a,0\nB,,1\n',
      /line 2: price 0: not for sale; line 3: the name is empty\.$/,
    ],
    [`${plain}A,"never closed,1\n`, /is not well-formed CSV\. .*at line 3/],
    [`${plain}A,5" ruler,1\n`, /is not well-formed CSV\. .*at line 3/],
    [Buffer.from(`${plain}A,caf\xe9,1\n`, 'latin1'), /is not UTF-8 text/],
    [Buffer.from(plain, 'utf16le'), /lacks the columns|is not UTF-8 text/],
  ])('%j', async (text, message) => {
    const refusal = await read(text).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(CatalogueError)
    expect(refusal).toMatchObject({ message: expect.stringMatching(message) })
  })

  it('also when it is not there or is a directory', async () => {
    await expect(readCatalogueFile(join(directory, 'none.csv'), { today })).rejects.toThrow(
      /^There is no file /,
    )
    await expect(readCatalogueFile(directory, { today })).rejects.toThrow(/is a directory, not a file\.$/)
  })
})
