/**
 * Lists also show rows whose time is in the future (contract §16). Even if the ERP's clock is ahead of the gateway's,
 * every row of a list is on exactly one of its pages. The gateway's own rows may also be ahead, after its clock was
 * corrected. A new list endpoint fails here until `fillLists` creates two rows for it.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminCatalogue, catalogue } from '../src/catalogue.ts'
import { fillLists } from './fill-lists.ts'
import {
  adminToken,
  call,
  type LooseJson,
  openTestGateway,
  signInBuyer,
  type TestGateway,
} from './harness.ts'
import { privateNets } from './receiver.ts'

let house: TestGateway
/** The channel whose lists are read. `token` belongs to one of its buyers. */
let channelCode: string
let token = ''

const dayMs = 24 * 60 * 60 * 1000
const aheadMs = 2 * dayMs
const lists = [...catalogue, ...adminCatalogue].filter(
  ({ method, query }) => method === 'GET' && 'as_of' in query && 'page' in query,
)
const names = lists.map(({ id, path }) => [id, path] as const)

beforeAll(async () => {
  house = await openTestGateway({ settings: privateNets, styles: 60 })
  await fillLists(house)
  // The ERP's clock keeps its time, and the gateway's clock is set back.
  house.sandbox.steering.advance(aheadMs / 1000)
  house.clock.set(house.clock.now() - aheadMs)
  token = await signInBuyer(house)
  channelCode = (await call(house, 'GET', '/api/v1/me', { token })).json.data.channel.channel_code
})
afterAll(() => house.close())

async function readPage(path: string, query: string): Promise<LooseJson> {
  const url = path.replace('{channel_code}', channelCode)
  const answer = await call(house, 'GET', `${url}?${query}`, { token, admin: adminToken })
  expect(answer.status, answer.text).toBe(200)
  return answer.json
}

const readRowId = (row: LooseJson) =>
  Object.entries(row).find(([name]) => /^jti$|_(id|code|number)$|^currency$/.test(name))?.[1]

describe.each(names)('%s', (_id, path) => {
  it('shows on its pages, read with as_of, each row once that it shows as a whole', async () => {
    const whole = (await readPage(path, 'page_size=200')).data.map(readRowId)
    const first = await readPage(path, 'page_size=1')
    const read = first.data.map(readRowId)
    let hasMore = first.has_more
    for (let number = 2; hasMore && number <= 12; number++) {
      const next = await readPage(path, `page_size=1&page=${number}&as_of=${first.as_of}`)
      read.push(...next.data.map(readRowId))
      hasMore = next.has_more
    }
    expect(read.length).toBeGreaterThan(1)
    expect(read).toEqual(whole.slice(0, read.length))
    expect(read.length).toBe(Math.min(12, whole.length))
  })

  it('reads on from a page in the middle that was asked for without as_of', async () => {
    const [, second] = (await readPage(path, 'page_size=2')).data.map(readRowId)
    const { data, as_of } = await readPage(path, 'page_size=1&page=2')
    expect(data.map(readRowId)).toEqual([second])
    expect((await readPage(path, `page_size=1&page=2&as_of=${as_of}`)).data.map(readRowId)).toEqual([second])
  })
})

describe('the documents of an order', () => {
  it.each(['orders', 'dropship-orders', 'reservations', 'holds', 'carts', 'shipments', 'webhook-deliveries'])(
    'in /%s are shown although their day is two days after today, and not on another day than theirs',
    async (name) => {
      const path = `/api/v1/${name}`
      const today = new Date(house.clock.now()).toISOString().slice(0, 10)
      const { data, as_of } = await readPage(path, '')
      expect(data.length).toBeGreaterThan(1)
      expect(Date.parse(as_of)).toBeGreaterThan(house.clock.now() + dayMs)
      expect((await readPage(path, `start_date=${today}`)).data.map(readRowId)).toEqual(data.map(readRowId))
      expect((await readPage(path, `end_date=${today}`)).data).toEqual([])
    },
  )
})
