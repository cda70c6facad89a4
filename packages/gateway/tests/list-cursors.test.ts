/**
 * Every list continues with `next_cursor` (contract §16): in any process, with another page size, and without a gap or a
 * repetition while rows are inserted. A cursor continues its own list only. The lists are read from the catalogue, so a
 * new one fails here until it has a cursor and `fillLists` creates two rows for it.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminCatalogue, catalogue } from '../src/catalogue.ts'
import type { Endpoint } from '../src/endpoint.ts'
import { isList } from '../src/lists/request.ts'
import { fillLists } from './fill-lists.ts'
import {
  adminToken,
  buyers,
  call,
  type LooseJson,
  openTestGateway,
  signInBuyer,
  type TestGateway,
} from './harness.ts'
import { privateNets } from './receiver.ts'
import { expectError, openSecondGateway } from './trade.ts'

const reads = [...catalogue, ...adminCatalogue].filter(({ method }) => method === 'GET')
const lists = reads.filter(isList)
const maxRows = 200

/** A list as it was before rows were inserted. */
interface Start {
  /** The ids of its rows, read by page numbers. */
  readonly ids: readonly string[]
  readonly size: number
  /** Its first page. */
  readonly first: LooseJson
}

let house: TestGateway
let second: TestGateway
let params: Readonly<Record<string, string>>
let otherParams: Readonly<Record<string, string>>
let token = ''
let otherToken = ''
const starts = new Map<string, Start>()

beforeAll(async () => {
  house = await openTestGateway({ settings: privateNets, styles: 60 })
  await fillLists(house)
  second = await openSecondGateway(house, privateNets)
  token = await signInBuyer(house)
  otherToken = await signInBuyer(house, buyers[1])
  params = { channel_code: await readChannelCode(token), warehouse_code: 'AUSYD1' }
  otherParams = { channel_code: await readChannelCode(otherToken), warehouse_code: 'AUSYD2' }
  for (const endpoint of lists) starts.set(endpoint.id, await readStart(endpoint))
  await fillLists(house, 1)
})
afterAll(async () => {
  await second.close()
  await house.close()
})

async function readChannelCode(bearer: string): Promise<string> {
  return (await call(house, 'GET', '/api/v1/me', { token: bearer })).json.data.channel.channel_code
}

async function readStart(endpoint: Endpoint): Promise<Start> {
  const ids = await readByNumbers(endpoint)
  const size = Math.min(Math.ceil(ids.length / 4), maxRows - 1)
  return { ids, size, first: await readPage(endpoint, `page_size=${size}`) }
}

/** Reads a whole list without a cursor. The lists that know no page numbers fit on one page. */
async function readByNumbers(endpoint: Endpoint): Promise<string[]> {
  const found: string[] = []
  for (let number = 1; number <= 20; number++) {
    const paging = 'page' in endpoint.query ? `&page=${number}` : ''
    const { data, has_more } = await readPage(endpoint, `page_size=${maxRows}${paging}`)
    found.push(...data.map(toRowId))
    if (!has_more) return found
  }
  throw new Error(`${endpoint.id} is too long to be compared.`)
}

const send = (endpoint: Endpoint, query: string, { at = house, bearer = token, values = params } = {}) => {
  const path = endpoint.path.replace(/\{(\w+)\}/, (_all, name: string) => values[name] ?? '')
  return call(at, 'GET', `${path}?${query}`, { token: bearer, admin: adminToken })
}

async function readPage(endpoint: Endpoint, query: string, at = house): Promise<LooseJson> {
  const answer = await send(endpoint, query, { at })
  expect(answer.status, answer.text).toBe(200)
  const { next_cursor, has_more } = answer.json
  expect(typeof next_cursor === 'string').toBe(has_more)
  const link = answer.headers.get('link') ?? ''
  const linked = new URLSearchParams(/\?(.*)>; rel="next"$/.exec(link)?.[1])
  expect(linked.get('cursor')).toBe(next_cursor)
  return answer.json
}

/** The values that name a row and never change. */
function toRowId(row: LooseJson): string {
  const own = Object.entries(row).filter(([name]) => /^(jti|sku|currency|\w+_(id|code))$/.test(name))
  return own.map(([, value]) => value).join(' ')
}

function findStart(endpoint: Endpoint): Start {
  const start = starts.get(endpoint.id)
  if (!start) throw new Error(`${endpoint.id} was not read.`)
  return start
}

/** A filter that is not that of the first page, by the parameters that lists have. */
const otherFilters: Readonly<Record<string, string>> = {
  start_date: '2026-11-10',
  product_code: 'SBX',
  channel_code: 'ch-1',
  actor: 'Kim',
  type: 'stock.changed',
}

function findOtherFilter({ query }: Endpoint): string | undefined {
  const [name, value] = Object.entries(otherFilters).find(([each]) => each in query) ?? []
  return name === undefined ? undefined : `${name}=${value}`
}

describe('the lists', () => {
  it('are all that have pages', () => {
    const paged = reads.filter(({ query }) => 'page' in query || 'page_size' in query)
    // The change feed continues from `version`.
    const others = paged.filter((endpoint) => !isList(endpoint)).map(({ id }) => id)
    expect(others).toEqual(['stock.changes'])
    expect(lists.length).toBeGreaterThan(25)
  })
})

describe('the cursor of a page that is read again', () => {
  const readStock = async (bearer: string, query: string) => {
    const answer = await call(house, 'GET', `/api/v1/warehouses/AUSYD1/stock?page_size=5&${query}`, {
      token: bearer,
    })
    expect(answer.status, answer.text).toBe(200)
    return answer.json
  }

  it('is the same for the same channel, and of each channel its own', async () => {
    const [mine, again, theirs] = [
      await readStock(token, ''),
      await readStock(token, ''),
      await readStock(otherToken, ''),
    ]
    expect(again.next_cursor).toBe(mine.next_cursor)
    expect(theirs.next_cursor).not.toBe(mine.next_cursor)
    const next = await readStock(otherToken, `cursor=${theirs.next_cursor}`)
    expect(next.data).toEqual((await readStock(token, `cursor=${mine.next_cursor}`)).data)
    expect((await readStock(token, 'page=2')).next_cursor).not.toBe(mine.next_cursor)
  })
})

describe.each(lists.map((endpoint) => [endpoint.id, endpoint] as const))('%s', (_id, endpoint) => {
  it('shows each row once, in two processes, while rows are inserted', async () => {
    const { ids, size, first } = findStart(endpoint)
    expect(ids.length).toBeGreaterThan(1)
    const read: string[] = first.data.map(toRowId)
    let { next_cursor } = first
    for (let hop = 1; next_cursor !== null && hop <= 20; hop++) {
      const query = `page_size=${size + (hop % 2)}&cursor=${next_cursor}`
      const page = await readPage(endpoint, query, hop % 2 === 0 ? house : second)
      if ('page' in endpoint.query) expect(page.page).toBe(hop + 1)
      read.push(...page.data.map(toRowId))
      next_cursor = page.next_cursor
    }
    expect(next_cursor).toBeNull()
    expect(new Set(read).size).toBe(read.length)
    const before = new Set(ids)
    expect(read.filter((id) => before.has(id))).toEqual(ids)
  })

  it('refuses a cursor that was changed, or came with another filter, path or page', async () => {
    const { size, first } = findStart(endpoint)
    const cursor: string = first.next_cursor
    const refuse = async (query: string, options = {}, param = 'cursor') =>
      expectError(await send(endpoint, `page_size=${size}&${query}`, options), 'VALIDATION_FAILED', { param })
    const changed = `${cursor.slice(0, 20)}${cursor[20] === 'A' ? 'B' : 'A'}${cursor.slice(21)}`
    await refuse(`cursor=${changed}`)
    const filter = findOtherFilter(endpoint)
    if (endpoint.id !== 'admin.lockouts.list') expect(filter).toBeDefined()
    if (filter !== undefined) await refuse(`${filter}&cursor=${cursor}`)
    if (endpoint.path.includes('{')) await refuse(`cursor=${cursor}`, { values: otherParams })
    if ('page' in endpoint.query) await refuse(`page=2&cursor=${cursor}`, {}, 'page')
    if (endpoint.access === 'bearer') await refuse(`cursor=${cursor}`, { bearer: otherToken })
    const foreign = lists.find((other) => other !== endpoint && other.access === endpoint.access)
    if (foreign) await refuse(`cursor=${findStart(foreign).first.next_cursor}`)
  })
})
