import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCatalogueCommand } from './command.ts'

let directory = ''
let orders = ''

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'catalogue-command-'))
  orders = join(directory, 'orders.csv')
  await writeFile(
    orders,
    'InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country\n' +
      '1,85123A,"HOLDER, WHITE",6,2010-12-01 08:26:00,2.555,17850.0,United Kingdom\n' +
      '1,POST,POSTAGE,1,2010-12-01 08:26:00,18.0,17850.0,United Kingdom\n' +
      '1,22222,LOST,x,2010-12-01 08:26:00,1.0,17850.0,United Kingdom\n',
  )
})
afterAll(() => rm(directory, { recursive: true }))

class Captured extends Writable {
  text = ''
  readonly isTTY = false
  override _write(chunk: Buffer, _encoding: string, callback: () => void): void {
    this.text += chunk.toString()
    callback()
  }
}

async function run(...args: string[]) {
  const streams = { stdout: new Captured(), stderr: new Captured() }
  const code = await runCatalogueCommand(args, streams)
  return { code, stdout: streams.stdout.text, stderr: streams.stderr.text }
}

const csv =
  'sku,name,price_wholesale,price_retail,quantity,warehouse_code\n85123A,"HOLDER, WHITE",2.56,5.12,6,AUSYD2\n'

describe('npm run catalogue', () => {
  it('writes the catalogue on standard output, and its summary apart', async () => {
    expect(await run(orders, '--warehouse', 'AUSYD2')).toEqual({
      code: 0,
      stdout: csv,
      stderr: [
        'Read 2 order lines of 2 stock codes.',
        'Wrote 1 rows for AUSYD2 to standard output.',
        'Rounded 1 prices that had more than two decimals.',
        'Left out:',
        '  1 stock codes: not goods, or not sold as such',
        'Invalid lines:',
        '  1 lines, first line 4: the Quantity is not a whole number of at most 8 digits',
        '',
      ].join('\n'),
    })
  })

  it('writes the catalogue into the file that --out names', async () => {
    const out = join(directory, 'catalogue.csv')
    expect(await run(orders, '--out', out, '--warehouse', 'AUSYD2')).toMatchObject({ code: 0, stdout: '' })
    expect(await readFile(out, 'utf8')).toBe(csv)
  })

  it('prints its usage with an example for --help', async () => {
    const { code, stdout } = await run('--help')
    expect(code).toBe(0)
    expect(stdout).toMatch(/Example.*\n\n {2}npm run -s catalogue -- /)
  })

  it.each([
    [[], 'Give the file of order lines.'],
    [['a.csv', 'b.csv'], 'Give only one file, not a.csv, b.csv.'],
    [['a.csv', '--fast'], "Unknown option '--fast'"],
    [['a.csv', '--out'], "Option '--out <value>' argument missing"],
    [['a.csv', '--warehouse', 'AUMEL1'], '--warehouse must be one of AUSYD1, AUSYD2, CHNZJ1, not "AUMEL1".'],
    [['a.csv', '--out', './a.csv'], '--out must not be the file of order lines.'],
  ])('exits 64 and points to --help for %j', async (args, sentence) => {
    const { code, stdout, stderr } = await run(...args)
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
    expect(stderr.startsWith(sentence)).toBe(true)
    expect(stderr).toMatch(/--help\n$/)
  })

  it('exits 1 with a sentence when a file cannot be read or written', async () => {
    const none = join(directory, 'none.csv')
    expect(await run(none)).toEqual({ code: 1, stdout: '', stderr: `There is no file ${none}.\n` })
    const unwritable = await run(orders, '--out', join(directory, 'none', 'x.csv'))
    expect(unwritable).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The catalogue cannot be written: /),
    })
  })
})
