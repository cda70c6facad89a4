import { afterEach, describe, expect, it } from 'vitest'
import { checksumOf } from '../src/checksum.ts'
import { signIn, Unanswered } from '../src/client.ts'
import { FeedBroken, Follower } from '../src/follower.ts'
import { proved } from '../src/proof.ts'
import { type FakeAnswer, fakeGateway } from './fake-gateway.ts'

/** Computed elsewhere over the rows A (1 on hand) and B (2 on hand) of `row`. */
const right = '7f516ad4c1bb4a661d7487a342a2bad1'
const credentials = { client_id: 'sandbox', client_secret: 'a secret' }
const closers: (() => Promise<unknown>)[] = []
afterEach(() => Promise.all(closers.splice(0).map((close) => close())))

async function followerOf(answers: FakeAnswer[]) {
  const gateway = await fakeGateway(answers)
  closers.push(gateway.close)
  const client = await signIn(gateway.base_url, credentials, new AbortController().signal)
  return { client, asked: gateway.asked, follower: new Follower(client, 'AUSYD1') }
}

function row(sku: string, quantity: number, more: object = {}) {
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

const pull = (version: number, ...data: object[]): FakeAnswer => ({
  body: { data, has_more: false, version },
  headers: { 'RateLimit-Cost': '60' },
})

const page = (version: number, data: object[], more: object = {}): FakeAnswer => ({
  body: { data, version, has_more: false, needs_full_sync: false, ...more },
  headers: { 'RateLimit-Cost': String(Math.max(1, data.length)) },
})

const noPoints = (retryAfter: Record<string, string>): FakeAnswer => ({
  status: 429,
  body: { error: { code: 'RATE_LIMITED' } },
  headers: { 'RateLimit-Cost': '0', ...retryAfter },
})

describe('a follower', () => {
  it('replaces rows, drops removed ones, and goes on from the version it was told', async () => {
    const { follower, asked, client } = await followerOf([
      pull(10, row('A', 1), row('B', 2)),
      page(12, [row('A', 5), row('B', 0, { removed: true })], { has_more: true }),
      page(13, [row('C', 3)], { row_count: 2, checksum: 'as told' }),
    ])
    await follower.pull()
    expect([await follower.page(), follower.proof]).toEqual([true, undefined])
    expect([await follower.page(), follower.proof]).toEqual([
      false,
      { version: 13, row_count: 2, checksum: 'as told' },
    ])
    expect([...follower.rows.values()]).toEqual([row('A', 5), row('C', 3)])
    expect(asked.slice(1)).toEqual(
      [10, 12].map((since) => `/api/v1/warehouses/AUSYD1/stock/changes?since=${since}`),
    )
    expect(client.spent).toEqual({ requests: 3, points: 63, waits: 0, waited_seconds: 0 })
  })

  it('pulls everything again when its cursor cannot be followed', async () => {
    const { follower, asked } = await followerOf([
      pull(10, row('A', 1)),
      page(10, [], { needs_full_sync: true, full_sync_reason: 'expired' }),
      pull(99, row('B', 2)),
      page(99, []),
    ])
    await follower.pull()
    expect(await follower.page()).toBe(true)
    expect([[...follower.rows.keys()], follower.cursor, follower.pulls]).toEqual([['B'], 99, 2])
    await follower.page()
    expect(asked.at(-1)).toContain('since=99')
  })

  it('does not follow a cursor that runs back', async () => {
    const { follower } = await followerOf([pull(10), page(9, [])])
    await follower.pull()
    await expect(follower.page()).rejects.toThrow(FeedBroken)
  })
})

describe('a client', () => {
  it('waits as long as Retry-After says, and asks the same again', async () => {
    const { follower, asked, client } = await followerOf([noPoints({ 'Retry-After': '1' }), pull(10)])
    await follower.pull()
    expect(asked).toHaveLength(2)
    expect(client.spent).toEqual({ requests: 2, points: 60, waits: 1, waited_seconds: 1 })
  })

  it('gives up where a 429 does not say how long, and where an answer is no success', async () => {
    const { follower } = await followerOf([noPoints({}), { status: 502, body: { error: {} } }])
    await expect(follower.pull()).rejects.toThrow(Unanswered)
    await expect(follower.pull()).rejects.toThrow(/answered 502/)
  })
})

describe('the proof', () => {
  const quantities: [string, number][] = [
    ['A', 1],
    ['B', 2],
  ]

  async function verdictOf(
    expected: [string, number][],
    fresh: FakeAnswer = pull(10, row('A', 1), row('B', 2)),
    told = right,
  ) {
    const { follower, client } = await followerOf([
      pull(10, row('A', 1), row('B', 2)),
      page(10, [], { row_count: 2, checksum: told }),
      { body: { data: { version: 10, row_count: 2, checksum: right } } },
      fresh,
    ])
    await follower.pull()
    await follower.page()
    return proved(follower, new Follower(client, 'AUSYD1'), new Map(expected))
  }

  it('finds no difference where there is none', async () => {
    expect(await verdictOf(quantities)).toEqual({
      rows: 2,
      version: 10,
      checksum: right,
      differences: 0,
      examples: [],
    })
  })

  it('finds a row that is missing, one too many, another value in any field, and another version', async () => {
    const differences = async (fresh: FakeAnswer) => (await verdictOf(quantities, fresh)).differences
    expect(await differences(pull(10, row('A', 1)))).toBe(1)
    expect(await differences(pull(10, row('A', 1), row('B', 2), row('C', 0)))).toBe(1)
    expect(await differences(pull(10, row('A', 1), row('B', 2, { incoming: [] })))).toBe(1)
    expect(await differences(pull(11, row('A', 1), row('B', 2)))).toBe(1)
  })

  it('finds a movement that the ERP acknowledged and the copy lacks', async () => {
    const { differences, examples } = await verdictOf([
      ['A', 1],
      ['B', 3],
      ['C', 1],
    ])
    expect(differences).toBe(2)
    expect(examples[0]).toBe('B: the quantity on hand in the copy and in the ERP: 2 and 3')
  })

  it('finds a checksum that is not the one of the copy', async () => {
    expect((await verdictOf(quantities, undefined, 'f'.repeat(32))).differences).toBe(1)
  })
})

describe('the checksum of a copy', () => {
  it('is the sum that the contract describes', () => {
    const won = row('KRÜ', 0, { price_wholesale: 1299, price_retail: 2500, currency: 'KRW' })
    const odd = row('D', 3, { quantity_available: 1, price_wholesale: 4.35, price_retail: 1.01 })
    expect(checksumOf([])).toBe('0'.repeat(32))
    expect(checksumOf([row('A', 1), row('B', 2)])).toBe(right)
    expect(checksumOf([odd, row('B', 2), won, row('A', 1)])).toBe('7654c51806c64a8ef95b64585200a1f1')
  })
})
