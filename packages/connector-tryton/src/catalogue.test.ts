import { describe, expect, it } from 'vitest'
import { Catalogue, explainLeftOut } from './catalogue.ts'
import type { Connector } from './connector.ts'
import { systemEnvironment } from './environment.ts'

const piece = { digits: 0, rounding: 1 }

function createRow(id: number, code: string | null) {
  return {
    ...{
      id,
      code,
      default_uom: 1,
      'default_uom.': piece,
      sale_uom: 1,
      write_date: null as number | null,
      create_date: null,
    },
    ...{
      list_price: '1.00',
      'template.': { id: 1, code: 'T', write_date: null as number | null, create_date: null },
    },
  }
}

/** A Tryton whose database sorts by a language: lower case before upper case, and without regard to hyphens. */
function createTryton(codes: readonly (string | null)[], logged: string[] = []) {
  const rows = codes.map((code, index) => createRow(index + 1, code))
  const tryton = { rows, now: 0, computed: [] as number[][] }
  const searchRead = async (
    _model: string,
    domain: readonly unknown[],
    _row: unknown,
    { fields }: { fields: readonly string[] },
  ) => {
    const wanted = domain.flatMap((clause) => (Array.isArray(clause) && clause[1] === 'in' ? [clause] : []))
    const found = rows
      .filter((row) => wanted.every(([field, , list]) => list.includes(field === 'code' ? row.code : row.id)))
      .sort((one, other) => (one.code ?? '').localeCompare(other.code ?? '', 'en'))
    if (fields.includes('list_price')) tryton.computed.push(found.map((row) => row.id))
    return found.map((row) => ({ ...row }))
  }
  const connector = {
    rpc: { searchRead },
    environment: { ...systemEnvironment, elapsed: () => tryton.now },
    log: (line: string) => logged.push(line),
  }
  // The catalogue uses no other part of a connector.
  return { tryton, catalogue: new Catalogue(connector as unknown as Connector) }
}

const createCatalogue = (codes: readonly (string | null)[], logged?: string[]) =>
  createTryton(codes, logged).catalogue

describe('The catalogue', () => {
  it('is paged in the order of bytes, whatever the order of the database', async () => {
    const catalogue = createCatalogue(['a-1', 'B-1', 'a1', 'Z', '\u00e9'])
    const first = await catalogue.readPage(null, 3)
    expect(first.skus.map(({ code }) => code)).toEqual(['B-1', 'Z', 'a-1'])
    expect(first.next).toBe('a-1')
    const second = await catalogue.readPage(first.next, 3)
    expect(second.skus.map(({ code }) => code)).toEqual(['a1', '\u00e9'])
    expect(second.next).toBeNull()
  })

  it('ends no page with a code that the protocol does not take, and says once that it is left out', async () => {
    const long = 'b'.repeat(65)
    const logged: string[] = []
    const catalogue = createCatalogue(['a', long, 'c', 'd'], logged)
    expect((await catalogue.readPage(null, 1)).next).toBe('a')
    const { skus, next } = await catalogue.readPage('a', 1)
    expect([skus.map(({ code }) => code), next]).toEqual([['c'], 'c'])
    await catalogue.readPage(null, 1)
    expect(logged).toEqual([`left out: product ${long}: its code has more than 64 characters`])
  })

  it('starts a page after a code that is not there', async () => {
    const { skus } = await createCatalogue(['a', 'c']).readPage('b', 5)
    expect(skus.map(({ code }) => code)).toEqual(['c'])
  })

  it('has Tryton compute a product again only if it or its style was written, and after ten minutes', async () => {
    const { tryton, catalogue } = createTryton(['a', 'b', 'c'])
    const readPrices = async () => (await catalogue.readByIds([1, 2, 3])).map((sku) => sku.listPrice)
    await readPrices()
    await readPrices()
    expect(tryton.computed).toEqual([[1, 2, 3]])
    const [first, second] = tryton.rows
    Object.assign(first ?? {}, { write_date: 7, list_price: '2.00' })
    Object.assign(second ?? {}, {
      list_price: '3.00',
      'template.': { ...second?.['template.'], write_date: 8 },
    })
    expect(await readPrices()).toEqual(['2.00', '3.00', '1.00'])
    expect(tryton.computed.slice(1)).toEqual([[1, 2]])
    tryton.now += 10 * 60_000
    await readPrices()
    expect(tryton.computed.slice(2)).toEqual([[1, 2, 3]])
  })

  it('leaves both products of one code out, also if only one was asked for, and says so once', async () => {
    const logged: string[] = []
    const catalogue = createCatalogue(['X', 'X', 'Y', null], logged)
    expect((await catalogue.readPage(null, 10)).skus.map(({ code }) => code)).toEqual(['Y'])
    expect(await catalogue.readByIds([1])).toEqual([])
    await catalogue.readByIds([1])
    expect(logged).toEqual(['left out: product X: more than one product has this code'])
  })

  it.each([
    [{ code: null }, 'it has no code'],
    [{ 'template.': { id: 1, code: null } }, 'its style has no code'],
    [{ code: 'x'.repeat(65) }, 'its code has more than 64 characters'],
    [{ list_price: null }, 'it has no list price'],
    [{ 'default_uom.': { digits: 2, rounding: 0.01 } }, 'its unit is not counted in whole pieces'],
    [{ sale_uom: 2 }, 'it is sold in another unit than it is counted in'],
    [{}, undefined],
  ])('explains %j', (change, reason) => {
    expect(explainLeftOut({ ...createRow(1, 'X'), ...change })).toBe(reason)
  })
})
