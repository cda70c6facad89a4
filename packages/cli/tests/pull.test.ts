/** `tgw stock pull` while the stock changes: a download that ends with 0 has every row. */

import { existsSync, lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { computeChecksum } from '@trade-gateway/sdk/mirror'
import { afterEach, describe, expect, it } from 'vitest'
import { rowFormats, type StockRow } from '../src/pull/formats.ts'
import { type FakeGateway, type FakeRequest, openFakeGateway } from './fake-gateway.ts'
import { runInProcess } from './run-in-process.ts'

const pageSize = 1_000

function makeRow(sku: string, version: number): StockRow {
  return {
    sku,
    product_code: 'STYLE "1", red',
    warehouse_code: 'AUSYD1',
    quantity_on_hand: 3,
    quantity_available: 2,
    price_wholesale: 19.9,
    price_retail: 49,
    currency: 'AUD',
    version,
    updated_at: '2026-11-22T00:00:00.000Z',
    incoming: [],
  }
}

/** The stock of one warehouse, as a gateway shows it. */
class Stock {
  readonly rows = new Map<string, StockRow>()
  version = 1
  hasCursors = true
  /** Called before each page. False for a 503. */
  beforePage: (place: string) => boolean = () => true

  constructor(count: number) {
    for (let each = 0; each < count; each++) this.put(`SKU-${String(each).padStart(5, '0')}`)
  }

  put(sku: string): void {
    this.version += 1
    this.rows.set(sku, makeRow(sku, this.version))
  }

  sorted(): StockRow[] {
    return [...this.rows.values()].toSorted((a, b) => (a.sku < b.sku ? -1 : 1))
  }

  answer({ path, query }: FakeRequest): object | undefined {
    if (path.endsWith('/changes')) return this.#listChanges(Number(query.get('since')))
    const cursor = query.get('cursor')
    const page = Number(query.get('page') ?? 1)
    if (!this.beforePage(cursor ?? String(page))) return undefined
    const all = this.sorted()
    const from = cursor === null ? (page - 1) * pageSize : all.filter(({ sku }) => sku <= cursor).length
    const data = all.slice(from, from + pageSize)
    const has_more = from + pageSize < all.length
    const next_cursor = has_more ? data.at(-1)?.sku : null
    return { data, has_more, version: this.version, page, ...(this.hasCursors ? { next_cursor } : {}) }
  }

  #listChanges(since: number) {
    const { version } = this
    const all = this.sorted()
    const data = all.filter((row) => row.version > since)
    const proof = { row_count: all.length, checksum: computeChecksum(all) }
    const end = { version, since, latest: version, has_more: false, pending: 0, needs_full_sync: false }
    return { data, ...end, ...proof }
  }
}

let gateway: FakeGateway
afterEach(() => gateway.close())

const pull = (...more: string[]) => runInProcess(['stock', 'pull', 'AUSYD1', ...more], { env: gateway.env })

async function openStock(count: number): Promise<Stock> {
  const stock = new Stock(count)
  gateway = await openFakeGateway((request) => stock.answer(request))
  return stock
}

const listSkus = (out: string) =>
  out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).sku)

describe('tgw stock pull', () => {
  it('loses no row when a page is read again after a new SKU came before it', async () => {
    const stock = await openStock(3_500)
    const before = stock.sorted().map(({ sku }) => sku)
    const seen: string[] = []
    stock.beforePage = (place) => {
      seen.push(place)
      if (seen.length !== 2) return true
      setTimeout(() => stock.put('A-NEW-SKU'), 50)
      return false
    }
    const { code, out, err } = await pull('--format', 'ndjson')
    expect(code, err).toBe(0)
    expect(listSkus(out)).toEqual(before)
    expect(seen[1]).toBe(seen[2])
  })

  it('ends with 1 and names no file when a row was lost', async () => {
    const stock = await openStock(2_500)
    stock.hasCursors = false
    // By number, a row that goes moves the first row of the next page to the one that was read.
    stock.beforePage = (place) => {
      if (place === '2') stock.rows.delete('SKU-00000')
      return true
    }
    const file = join(gateway.folder, 'stock.csv')
    const { code, err } = await pull('--out', file)
    expect(code).toBe(1)
    expect(err).toContain('Begin the download again')
    expect(readdirSync(gateway.folder).filter((name) => name.startsWith('stock.'))).toEqual([])
  })

  it('keeps the former file behind a symbolic link until the download is complete, and the link', async () => {
    const stock = await openStock(1_500)
    const [file, link, fresh] = ['2026.csv', 'stock.csv', 'new.csv'].map((name) => join(gateway.folder, name))
    if (!file || !link || !fresh) throw new Error('No name.')
    writeFileSync(file, 'the former download')
    symlinkSync('2026.csv', link)
    stock.beforePage = (place) => place === '1'
    const failed = await pull('--out', link, '--timeout', '1')
    expect(failed.code, failed.err).toBe(7)
    expect(readFileSync(link, 'utf8')).toBe('the former download')
    stock.beforePage = () => true
    const continued = await pull('--out', link, '--resume')
    expect(continued.code, continued.err).toBe(0)
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(1_501)
    // A link may name a file that is not there yet.
    symlinkSync('new-2026.csv', fresh)
    expect(await pull('--out', fresh)).toMatchObject({ code: 0 })
    expect(readFileSync(join(gateway.folder, 'new-2026.csv'), 'utf8')).toBe(readFileSync(file, 'utf8'))
  })

  it('names a command that a shell reads as it is meant to continue a download', async () => {
    const stock = await openStock(1_500)
    const file = join(gateway.folder, 'my stock.csv')
    stock.beforePage = (place) => place === '1'
    const { err } = await pull('--out', file, '--timeout', '1')
    expect(err).toContain(`tgw stock pull AUSYD1 --out '${file}' --format csv --resume`)
  })

  it('continues no download into a device', async () => {
    await openStock(1)
    expect(await pull('--out', '/dev/null', '--resume')).toMatchObject({
      code: 2,
      err: expect.stringContaining('/dev/null is a device'),
    })
    expect(await pull('--out', '/dev/null')).toMatchObject({ code: 0 })
  })

  it.each(['csv', 'ndjson'] as const)('proves a download in %s that was continued, too', async (format) => {
    const stock = await openStock(1_500)
    const file = join(gateway.folder, `stock.${format}`)
    const [all, { header, formatRows }] = [stock.sorted(), rowFormats[format]]
    const place = { base_url: gateway.url, warehouse: 'AUSYD1', format, version: stock.version, rows: 1_000 }
    const leave = (text: string) => {
      const next = { next_page: 2, next_cursor: all[999]?.sku, bytes: Buffer.byteLength(text) }
      writeFileSync(`${file}.part`, text)
      writeFileSync(`${file}.part.json`, JSON.stringify({ ...place, ...next }))
    }
    leave(header + formatRows(all.slice(0, 1_000)))
    const continued = await pull('--out', file, '--resume')
    expect(continued.code, continued.err).toBe(0)
    expect(readFileSync(file, 'utf8')).toBe(header + formatRows(all))

    // A row is missing in what an earlier run wrote.
    leave(header + formatRows(all.slice(1, 1_000)))
    expect(await pull('--out', file, '--resume')).toMatchObject({
      code: 1,
      err: expect.stringContaining('1500 rows, and 1499 were downloaded'),
    })
    expect(existsSync(`${file}.part`)).toBe(false)
  })
})
