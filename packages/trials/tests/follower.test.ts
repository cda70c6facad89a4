import { afterEach, describe, expect, it } from 'vitest'
import { computeChecksum } from '../src/checksum.ts'
import { fetchPatiently, signIn } from '../src/client.ts'
import { FeedBroken, Follower } from '../src/follower.ts'
import { proveCopy } from '../src/proof.ts'
import { type FakeResponse, openFakeGateway } from './fake-gateway.ts'

/** The checksum of the rows `createRow('A', 1)` and `createRow('B', 2)`, computed without the code under test. */
const right = '7f516ad4c1bb4a661d7487a342a2bad1'
const credentials = { client_id: 'sandbox', client_secret: 'a secret' }
const closers: (() => Promise<unknown>)[] = []
afterEach(() => Promise.all(closers.splice(0).map((close) => close())))

async function openFollower(answers: FakeResponse[]) {
  const gateway = await openFakeGateway(answers)
  closers.push(gateway.close)
  const client = signIn(gateway.base_url, credentials, new AbortController().signal)
  return { client, asked: gateway.asked, follower: new Follower(client, 'AUSYD1') }
}

function createRow(sku: string, quantity: number, more: object = {}) {
  return {
    sku,
    product_code: 'P',
    quantity_on_hand: quantity,
    quantity_available: quantity,
    price_wholesale: 2.5,
    price_retail: 5,
    currency: 'AUD',
    ...more,
  }
}

const createPull = (version: number, ...data: object[]): FakeResponse => ({
  body: { data, has_more: false, version },
  headers: { 'RateLimit-Cost': '60' },
})

const createPage = (version: number, data: object[], more: object = {}): FakeResponse => ({
  body: { data, version, latest: version, has_more: false, needs_full_sync: false, ...more },
  headers: { 'RateLimit-Cost': String(Math.max(1, data.length)) },
})

const createQuotaError = (retryAfter: Record<string, string>): FakeResponse => ({
  status: 429,
  body: { error: { code: 'RATE_LIMITED' } },
  headers: { 'RateLimit-Cost': '0', ...retryAfter },
})

describe('a follower', () => {
  it('compares nothing with the state of a process that is behind the one before', async () => {
    const proof = { row_count: 1, checksum: 'any' }
    const { follower } = await openFollower([
      createPull(10, createRow('A', 1)),
      createPage(12, [createRow('B', 2)], { latest: 14, has_more: true }),
      createPage(12, [], proof),
      createPage(14, [createRow('A', 3)], proof),
    ])
    await follower.pull()
    await follower.applyNextPage()
    await follower.applyNextPage()
    expect([follower.isBehind, follower.proof]).toEqual([true, undefined])
    await follower.applyNextPage()
    expect([follower.isBehind, follower.proof?.version]).toEqual([false, 14])
  })

  it('replaces rows, drops removed ones, and continues from the last version', async () => {
    const { follower, asked, client } = await openFollower([
      createPull(10, createRow('A', 1), createRow('B', 2)),
      createPage(12, [createRow('A', 5), createRow('B', 0, { removed: true })], { has_more: true }),
      createPage(13, [createRow('C', 3)], { row_count: 2, checksum: 'any' }),
    ])
    await follower.pull()
    expect([await follower.applyNextPage(), follower.proof]).toEqual([true, undefined])
    expect([await follower.applyNextPage(), follower.proof]).toEqual([
      false,
      { version: 13, row_count: 2, checksum: 'any' },
    ])
    expect([...follower.rows.values()]).toEqual([createRow('A', 5), createRow('C', 3)])
    expect(asked.slice(1)).toEqual(
      [10, 12].map((since) => `/api/v1/warehouses/AUSYD1/stock/changes?since=${since}`),
    )
    expect(client.spent).toEqual({ requests: 3, points: 63, waits: 0, waited_seconds: 0 })
  })

  it('pulls everything again when its cursor cannot be followed', async () => {
    const { follower, asked } = await openFollower([
      createPull(10, createRow('A', 1)),
      createPage(10, [], { needs_full_sync: true, full_sync_reason: 'expired' }),
      createPull(99, createRow('B', 2)),
      createPage(99, []),
    ])
    await follower.pull()
    expect(await follower.applyNextPage()).toBe(true)
    expect([[...follower.rows.keys()], follower.cursor, follower.pulls]).toEqual([['B'], 99, 2])
    await follower.applyNextPage()
    expect(asked.at(-1)).toContain('since=99')
  })

  it('does not follow a cursor that runs back', async () => {
    const { follower } = await openFollower([createPull(10), createPage(9, [])])
    await follower.pull()
    await expect(follower.applyNextPage()).rejects.toThrow(FeedBroken)
  })
})

describe('a client', () => {
  it('waits for the time in Retry-After and repeats the request', async () => {
    const { follower, asked, client } = await openFollower([
      createQuotaError({ 'Retry-After': '1' }),
      createPull(10),
    ])
    await follower.pull()
    expect(asked).toHaveLength(2)
    expect(client.spent).toMatchObject({ requests: 2, points: 60, waits: 1 })
    expect(client.spent.waited_seconds).toBeGreaterThanOrEqual(1)
  })

  it('repeats a 429 without Retry-After too, and gives up on an error that does not pass', async () => {
    const refused = { status: 403, body: { error: { code: 'SCOPE_DENIED' } } }
    const { follower, asked } = await openFollower([createQuotaError({}), refused])
    await expect(follower.pull()).rejects.toMatchObject({ code: 'SCOPE_DENIED' })
    expect(asked).toHaveLength(2)
  })
})

describe('the proof', () => {
  const quantities: [string, number][] = [
    ['A', 1],
    ['B', 2],
  ]

  async function judgeCopy(
    expected: [string, number][],
    fresh: FakeResponse = createPull(10, createRow('A', 1), createRow('B', 2)),
    reported = right,
  ) {
    const { follower, client } = await openFollower([
      createPull(10, createRow('A', 1), createRow('B', 2)),
      createPage(10, [], { row_count: 2, checksum: reported }),
      { body: { data: { version: 10, row_count: 2, checksum: right } } },
      fresh,
    ])
    await follower.pull()
    await follower.applyNextPage()
    return proveCopy(follower, new Follower(client, 'AUSYD1'), new Map(expected))
  }

  it('finds no difference where there is none', async () => {
    expect(await judgeCopy(quantities)).toEqual({
      rows: 2,
      version: 10,
      checksum: right,
      differences: 0,
      examples: [],
    })
  })

  it('finds a row that is missing, one too many, another value in any field, and another version', async () => {
    const listDifferences = async (fresh: FakeResponse) => (await judgeCopy(quantities, fresh)).differences
    expect(await listDifferences(createPull(10, createRow('A', 1)))).toBe(1)
    expect(
      await listDifferences(createPull(10, createRow('A', 1), createRow('B', 2), createRow('C', 0))),
    ).toBe(1)
    expect(
      await listDifferences(createPull(10, createRow('A', 1), createRow('B', 2, { incoming: [] }))),
    ).toBe(1)
    expect(await listDifferences(createPull(11, createRow('A', 1), createRow('B', 2)))).toBe(1)
  })

  it('finds a movement that the ERP acknowledged and the copy lacks', async () => {
    const { differences, examples } = await judgeCopy([
      ['A', 1],
      ['B', 3],
      ['C', 1],
    ])
    expect(differences).toBe(2)
    expect(examples[0]).toBe('B: the quantity on hand in the copy and in the ERP: 2 and 3')
  })

  it('finds a checksum that is not the one of the copy', async () => {
    expect((await judgeCopy(quantities, undefined, 'f'.repeat(32))).differences).toBe(1)
  })
})

describe('the checksum of a copy', () => {
  it('is the sum that the contract describes', () => {
    const won = createRow('KRÜ', 0, { price_wholesale: 1299, price_retail: 2500, currency: 'KRW' })
    const odd = createRow('D', 3, { quantity_available: 1, price_wholesale: 4.35, price_retail: 1.01 })
    expect(computeChecksum([])).toBe('0'.repeat(32))
    expect(computeChecksum([createRow('A', 1), createRow('B', 2)])).toBe(right)
    expect(computeChecksum([odd, createRow('B', 2), won, createRow('A', 1)])).toBe(
      '7654c51806c64a8ef95b64585200a1f1',
    )
  })
})

describe('an operator’s request', () => {
  it('is repeated after 503, and no other failure', async () => {
    const away = { status: 503, body: { error: { code: 'INTERNAL' } }, headers: { 'Retry-After': '0' } }
    const gateway = await openFakeGateway([away, away, { body: 'done' }, { status: 500, body: 'failed' }])
    closers.push(gateway.close)
    const send = () => fetchPatiently(`${gateway.base_url}/admin`, {}, new AbortController().signal)
    expect((await send()).status).toBe(200)
    expect((await send()).status).toBe(500)
    expect(gateway.asked).toHaveLength(4)
  })
})
