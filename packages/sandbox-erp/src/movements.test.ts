import { withTimeout } from '@trade-gateway/connector'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createBuiltInCatalogue } from './catalogue/built-in.ts'
import { openSandboxErp, type SandboxErp } from './erp.ts'
import { applyMovementsCsv, MalformedMovements } from './movements-csv.ts'

const today = '2026-08-31'
let sandbox: SandboxErp

beforeEach(async () => {
  sandbox = await openSandboxErp({
    path: ':memory:',
    catalogue: () => createBuiltInCatalogue({ seed: 1, styles: 5, today }),
    catalogue_id: 'five styles',
    accounts: [],
  })
})
afterEach(() => sandbox.close())

function applyCsv(text: string | Uint8Array) {
  return applyMovementsCsv(sandbox.store, Buffer.from(text))
}

function readRowFigures(sku: string, warehouse = 'AUSYD1') {
  return sandbox.store.one(
    'select on_hand, held, price_wholesale, price_retail, withdrawn, stock_seq from stock where warehouse_code = ? and sku = ?',
    warehouse,
    sku,
  )
}

function readCounter(warehouse = 'AUSYD1') {
  return Number(
    sandbox.store.one('select stock_seq from warehouses where warehouse_code = ?', warehouse)?.stock_seq,
  )
}

describe('a movement', () => {
  it('changes the quantity on hand by what it says', () => {
    expect(applyCsv('warehouse_code,sku,quantity\nAUSYD1,SBX-SHORT-3,+9\nAUSYD1,SBX-LAST-1,-1\n')).toEqual({
      applied: 2,
      left_out: [],
      stock_seq: { AUSYD1: readCounter() },
    })
    expect(readRowFigures('SBX-SHORT-3')?.on_hand).toBe(12)
    expect(readRowFigures('SBX-LAST-1')?.on_hand).toBe(0)
  })

  it('sets prices and withdraws only where it says so', () => {
    const before = readRowFigures('SBX-SHORT-3')
    applyCsv(
      'sku,warehouse_code,quantity,price_wholesale,price_retail,withdrawn\n' +
        'SBX-SHORT-3,AUSYD1,0,12.5,,1\nSBX-SHORT-3,AUSYD2,0,,40,\n',
    )
    expect(readRowFigures('SBX-SHORT-3')).toMatchObject({
      ...before,
      price_wholesale: 1250,
      withdrawn: 1,
      stock_seq: readCounter(),
    })
    expect(readRowFigures('SBX-SHORT-3', 'AUSYD2')).toMatchObject({ price_retail: 4000, withdrawn: 0 })
    applyCsv('warehouse_code,sku,quantity,withdrawn\nAUSYD1,SBX-SHORT-3,0,0\n')
    expect(readRowFigures('SBX-SHORT-3')?.withdrawn).toBe(0)
  })

  it('appears in the change hints of the ERP', async () => {
    const readHints = async (cursor: string | null) => {
      const answer = await sandbox.erp['stock.changed'](
        { warehouse_code: 'AUSYD1', cursor },
        withTimeout(1000),
      )
      if (!('ok' in answer)) throw new Error('refused')
      return answer.ok
    }
    const { cursor } = await readHints(null)
    applyCsv('warehouse_code,sku,quantity\nAUSYD1,SBX-SHORT-3,1\nAUSYD2,SBX-LAST-1,1\n')
    expect((await readHints(cursor)).skus).toEqual(['SBX-SHORT-3'])
  })

  it('takes one number per row and batch, however often the batch moves the row', () => {
    const before = readCounter()
    applyCsv(
      'warehouse_code,sku,quantity\nAUSYD1,SBX-SHORT-3,-3\nAUSYD1,SBX-LAST-1,1\nAUSYD1,SBX-SHORT-3,5\n',
    )
    expect(readCounter()).toBe(before + 2)
    expect(readRowFigures('SBX-SHORT-3')?.on_hand).toBe(5)
  })
})

describe('a movement that cannot be', () => {
  const expectRowLeftOut = (row: string, header = 'warehouse_code,sku,quantity') => {
    const before = [readRowFigures('SBX-SHORT-3'), readCounter()]
    const { applied, left_out, stock_seq } = applyCsv(`${header}\n${row}\n`)
    expect([applied, stock_seq, readRowFigures('SBX-SHORT-3'), readCounter()]).toEqual([0, {}, ...before])
    expect(left_out).toMatchObject([{ line: 2 }])
    return left_out[0]?.reason
  }

  it('is left out with the reason', () => {
    expect(expectRowLeftOut('AUSYD1,SBX-SHORT-3,-4')).toBe('only 3 on hand, not 4')
    expect(expectRowLeftOut('AUSYD1,NOPE,1')).toBe('there is no SKU "NOPE" in AUSYD1')
    expect(expectRowLeftOut('NOWHERE,SBX-SHORT-3,1')).toBe('there is no warehouse "NOWHERE"')
    for (const quantity of ['1.5', '', 'x', '1e3', '-', '9999999999999']) {
      expect(expectRowLeftOut(`AUSYD1,SBX-SHORT-3,${quantity}`)).toContain('is not a whole number')
    }
    const header = 'warehouse_code,sku,quantity,price_wholesale,withdrawn'
    for (const price of ['0', '-1', '1.234', 'x']) {
      expect(expectRowLeftOut(`AUSYD1,SBX-SHORT-3,1,${price},`, header)).toContain('is not a price above 0')
    }
    expect(expectRowLeftOut('AUSYD1,SBX-SHORT-3,1,,yes', header)).toBe('withdrawn must be 0 or 1, not "yes"')
  })

  it('never takes what is held, while goods may still come in', () => {
    sandbox.store.run("update stock set held = 2 where warehouse_code = 'AUSYD1' and sku = 'SBX-SHORT-3'")
    expect(expectRowLeftOut('AUSYD1,SBX-SHORT-3,-2')).toBe('2 of the 3 on hand are held')
    sandbox.store.run("update stock set held = 9 where warehouse_code = 'AUSYD1' and sku = 'SBX-SHORT-3'")
    expect(applyCsv('warehouse_code,sku,quantity\nAUSYD1,SBX-SHORT-3,1\n').applied).toBe(1)
  })

  it('leaves the others of the batch alone, and is judged by what came before it', () => {
    const rows = ['SBX-SHORT-3,-2', 'SBX-SHORT-3,-2', 'NOPE,1', 'SBX-SHORT-3,-1', 'SBX-SHORT-3,x']
    const moved = applyCsv(`warehouse_code,sku,quantity\n${rows.map((row) => `AUSYD1,${row}\n`).join('')}`)
    expect(moved.applied).toBe(2)
    expect(moved.left_out.map(({ line }) => line)).toEqual([3, 4, 6])
    expect(readRowFigures('SBX-SHORT-3')?.on_hand).toBe(0)
  })
})

describe('a CSV of movements', () => {
  it('is refused whole where it is malformed', () => {
    const before = readCounter()
    const malformed = [
      '',
      'sku,quantity\nSBX-SHORT-3,1\n',
      'warehouse_code,sku,quantity,colour\nAUSYD1,SBX-SHORT-3,1,red\n',
      'warehouse_code,sku,quantity,sku\nAUSYD1,SBX-SHORT-3,1,SBX-SHORT-3\n',
      'warehouse_code,sku,quantity\nAUSYD1,SBX-SHORT-3,1\nAUSYD1,SBX-SHORT-3\n',
      'warehouse_code,sku,quantity\nAUSYD1,SBX-SHORT-3,1\n"AUSYD1,SBX-SHORT-3,1\n',
      Buffer.from('warehouse_code,sku,quantity\nAUSYD1,\xff,1\n', 'latin1'),
    ]
    for (const text of malformed) expect(() => applyCsv(text), String(text)).toThrow(MalformedMovements)
    expect(readCounter()).toBe(before)
  })

  it('is read with a byte order mark, CRLF, empty lines and quotes, and its lines are counted', () => {
    const text =
      '\ufeffWarehouse Code,SKU,Quantity\r\n\r\n"AUSYD1","SBX-SHORT-3",1\r\n"AUS\r\nYD1",A,1\r\nAUSYD1,B,1\r\n'
    const { applied, left_out } = applyCsv(text)
    expect(applied).toBe(1)
    expect(left_out.map(({ line }) => line)).toEqual([4, 6])
  })
})
