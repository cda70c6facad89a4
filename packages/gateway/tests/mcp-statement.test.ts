import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer, Call } from '../src/contract/call.ts'
import { doorListener } from '../src/http/adapter.ts'
import type { Door } from '../src/http/answer.ts'
import { createGatewayServer } from '../src/http/server.ts'
import { queryOf } from '../src/http/stages/parse.ts'
import { createMcpDoor } from '../src/mcp/door.ts'
import { type Agent, agentOf, modernRequest } from './agent.ts'
import { type House, type Loose, openHouse, world } from './harness.ts'

/** A statement adds up, or says by how much it does not; and its work ends when nobody waits for it. */
let house: House
let desk: House
let agent: Agent
let token: string
/** What the books say; tests change it. */
let books: Books
/** Every question that reached the books. */
let asked: string[] = []
/** What every page of transactions says of currencies without movement. */
let resting: Loose[] = []
let onAsked: (path: string) => Promise<void> | void = () => {}

interface Books {
  readonly [path: string]: Loose[]
}

const day = (at: number) => `2026-11-${String(at).padStart(2, '0')}`
const transaction = (
  at: number,
  amount: number,
  balance_after: number,
  currency = 'AUD',
  type = 'order_charge',
) => ({
  transaction_id: `txn_${currency}_${at}`,
  occurred_at: `${day(at)}T10:00:00.000Z`,
  type,
  amount,
  currency,
  balance_after,
  description: 'as the ERP says',
})

/** Newest first, two rows a page, so that there is more than one; each page says what it opens and closes with. */
const door: Door = async (call) => {
  asked.push(call.path)
  await onAsked(call.path)
  const all = books[call.path]
  if (!all)
    return json(call, 404, {
      error: {
        code: 'NOT_FOUND',
        message: 'No.',
        hint: 'No.',
        request_id: call.requestId,
        doc_url: '/errors/NOT_FOUND',
      },
    })
  const { page = '1' } = queryOf(call)
  const from = (Number(page) - 1) * 2
  const data = all.slice(from, from + 2)
  const currencies = [...new Set(data.map((row) => row.currency))]
  const balances = currencies.map((currency) => {
    const own = data.filter((row) => row.currency === currency)
    const [newest] = own
    const oldest = own.at(-1)
    return {
      currency,
      opening_balance: Number(oldest?.balance_after) - Number(oldest?.amount),
      closing_balance: newest?.balance_after,
    }
  })
  return json(call, 200, {
    data,
    has_more: all.length > from + 2,
    page: Number(page),
    page_size: 2,
    as_of: '2026-11-21T12:00:00.000Z',
    ...(call.path.endsWith('/transactions') ? { balances: [...balances, ...resting] } : {}),
  })
}

function json(call: Call, status: number, body: unknown): Answer {
  call.cost = 1
  return { status, headers: ['Content-Type', 'application/json'], body: JSON.stringify(body) }
}

const sound = (): Books => ({
  '/api/v1/balances': [
    { currency: 'AUD', balance: 120.3, available: 120.3, updated_at: `${day(9)}T10:00:00.000Z` },
    { currency: 'CNY', balance: -5, available: 0, updated_at: `${day(7)}T10:00:00.000Z` },
  ],
  '/api/v1/transactions': [
    transaction(9, 0.2, 120.3, 'AUD', 'refund'),
    transaction(7, -5, -5, 'CNY'),
    transaction(5, 0.1, 120.1, 'AUD', 'refund'),
    transaction(4, 100, 120, 'AUD', 'payment'),
    transaction(2, -30, 20),
  ],
  '/api/v1/bills': [
    {
      bill_id: 'bill_1',
      issued_at: `${day(8)}T00:00:00.000Z`,
      currency: 'AUD',
      amount_total: 50.1,
      amount_paid: 20,
      amount_due: 30.1,
      status: 'open',
    },
  ],
  '/api/v1/refunds': [
    {
      refund_id: 'ref_1',
      requested_at: `${day(5)}T09:00:00.000Z`,
      amount: 0.1,
      currency: 'AUD',
      status: 'completed',
      transaction_id: 'txn_AUD_5',
    },
  ],
  '/api/v1/freight-bills': [
    { freight_bill_id: 'frb_1', billed_at: `${day(3)}T00:00:00.000Z`, amount: 8.5, currency: 'AUD' },
  ],
})

beforeAll(async () => {
  house = await openHouse()
  const server = createGatewayServer(
    house.gateway,
    doorListener(house.gateway, createMcpDoor(house.gateway, door)),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  desk = { ...house, url: `http://127.0.0.1:${port}`, port, close: async () => void server.close() }
  token = (await world(house)).token
  agent = await agentOf(desk, token)
})
afterAll(async () => {
  await agent.client.close()
  await desk.close()
  await house.close()
})

const november = { start_date: '2026-11-01', end_date: '2026-11-21' }
const failedChecks = (data: Loose) => data.checks.filter((each: Loose) => !each.ok)

describe('get_statement', () => {
  it('reads every page and proves that it adds up, per currency', async () => {
    books = sound()
    asked = []
    const { data, text } = await agent.call('get_statement', november)
    expect(data).toMatchObject({
      currencies: ['AUD', 'CNY'],
      opening: { AUD: 50, CNY: 0 },
      closing: { AUD: 120.3, CNY: -5 },
      totals: { AUD: { order_charge: -30, payment: 100, refund: 0.3 }, CNY: { order_charge: -5 } },
      truncated: false,
      points_spent: 7,
    })
    expect(failedChecks(data)).toEqual([])
    expect(data.checks.map((each: Loose) => each.name)).toEqual([
      'AUD opening + amounts = closing',
      'AUD balance_after is gapless',
      'AUD closing = balance',
      'CNY opening + amounts = closing',
      'CNY balance_after is gapless',
      'CNY closing = balance',
      'AUD bills: total − paid = due',
    ])
    expect(data.rows.map((each: Loose) => each.kind)).toEqual([
      'balances',
      'balances',
      'transactions',
      'bills',
      'transactions',
      'transactions',
      'refunds',
      'transactions',
      'freight_bills',
      'transactions',
    ])
    expect(asked.filter((path) => path.endsWith('/transactions'))).toHaveLength(3)
    expect(text).toContain('AUD: opening 50, closing 120.3.')
    expect(text).toContain('All 7 checks hold.')
  })

  it('says by how much a book is off, whichever figure is wrong', async () => {
    const broken = async (change: (all: Books) => void) => {
      books = sound()
      change(books)
      return failedChecks((await agent.call('get_statement', november)).data)
    }
    const lost = await broken((all) => void all['/api/v1/transactions']?.splice(2, 1))
    expect(lost).toEqual([
      { name: 'AUD opening + amounts = closing', ok: false, diff: -0.1 },
      { name: 'AUD balance_after is gapless', ok: false, diff: 0.1 },
    ])
    const edited = await broken((all) =>
      Object.assign(all['/api/v1/transactions']?.[3] ?? {}, { amount: 99 }),
    )
    expect(edited.map((each: Loose) => each.name)).toContain('AUD balance_after is gapless')
    const snapshot = await broken((all) =>
      Object.assign(all['/api/v1/balances']?.[0] ?? {}, { balance: 1.3 }),
    )
    expect(snapshot).toEqual([{ name: 'AUD closing = balance', ok: false, diff: 119 }])
    const bill = await broken((all) => Object.assign(all['/api/v1/bills']?.[0] ?? {}, { amount_due: 30 }))
    expect(bill).toEqual([{ name: 'AUD bills: total − paid = due', ok: false, diff: 0.1 }])
  })

  it('does not hold a past month against the balance of today', async () => {
    books = sound()
    const { data } = await agent.call('get_statement', { ...november, end_date: '2026-11-20' })
    expect(data.checks.map((each: Loose) => each.name)).not.toContain('AUD closing = balance')
  })

  it('does not compare what was booked while it read', async () => {
    const compared = async () => {
      const { data } = await agent.call('get_statement', november)
      expect(failedChecks(data)).toEqual([])
      return data.checks.some((each: Loose) => each.name === 'AUD closing = balance')
    }
    const booked = (updated_at: string, balance: number) => {
      Object.assign(books['/api/v1/balances']?.[0] ?? {}, { balance, updated_at })
    }
    // Something is booked between the last transaction that is read and the balance.
    books = sound()
    onAsked = (path) => {
      if (path.endsWith('/bills')) booked('2026-11-21T12:00:00.001Z', 90)
    }
    expect(await compared()).toBe(false)
    onAsked = () => {}
    // The balance is older than the newest transaction.
    books = sound()
    booked(`${day(9)}T09:59:59.999Z`, 120.1)
    expect(await compared()).toBe(false)
    books = sound()
    expect(await compared()).toBe(true)
  })

  it('opens and closes a currency without movement with the same balance', async () => {
    books = sound()
    books['/api/v1/balances']?.push({ currency: 'KRW', balance: 700, updated_at: `${day(1)}T00:00:00.000Z` })
    resting = [{ currency: 'KRW', opening_balance: 700, closing_balance: 700 }]
    const { data, text } = await agent.call('get_statement', november)
    resting = []
    expect(data).toMatchObject({
      currencies: ['AUD', 'CNY', 'KRW'],
      opening: { KRW: 700 },
      closing: { KRW: 700 },
      totals: { KRW: {} },
    })
    expect(data.checks.map((each: Loose) => each.name)).toContain('KRW closing = balance')
    expect(failedChecks(data)).toEqual([])
    expect(text).toContain('KRW: opening 700, closing 700.')
  })

  it('reads only what is included, and leaves the rows out when asked', async () => {
    books = sound()
    asked = []
    const { data } = await agent.call('get_statement', { ...november, include: ['bills'], detail: 'concise' })
    expect(asked).toEqual(['/api/v1/bills'])
    expect(data).toMatchObject({ currencies: [], rows: [], points_spent: 1 })
  })

  it('shows at most fifty rows, and says that there are more', async () => {
    const many = Array.from({ length: 48 }, (_, at) => transaction(1, -1, -48 + at))
    books = { ...sound(), '/api/v1/transactions': many }
    const { data } = await agent.call('get_statement', november)
    expect(data.rows).toHaveLength(50)
    expect(data.truncated).toBe(true)
    expect(data.totals.AUD.order_charge).toBe(-48)
    // No rows were asked for: none is missing.
    const concise = await agent.call('get_statement', { ...november, detail: 'concise' })
    expect(concise.data).toMatchObject({ rows: [], truncated: false })
  })

  it('ends at a named number of pages, says that it was cut short and does not claim to add up', async () => {
    books = {
      ...sound(),
      '/api/v1/transactions': Array.from({ length: 80 }, (_, at) => transaction(1, -1, -80 + at)),
    }
    asked = []
    const { data, text } = await agent.call('get_statement', {
      ...november,
      include: ['transactions'],
      detail: 'concise',
    })
    expect(asked).toHaveLength(25)
    expect(data).toMatchObject({ truncated: true, closing: { AUD: -80 } })
    expect([data.opening, data.totals]).toEqual([{}, {}])
    const said = 'transactions cut short: only the newest 50 were read; ask for fewer days'
    expect(data.checks).toEqual([
      { name: said, ok: false },
      { name: 'AUD balance_after is gapless', ok: true, diff: 0 },
    ])
    expect(text).toBe(`AUD: opening not read, closing -80. Checks failed: ${said}.`)
  })

  it('tells a failure of the books as one', async () => {
    books = {}
    expect(await agent.refusal('get_statement', november)).toMatch(/^NOT_FOUND: No\. No\./)
  })

  it('streams how far it is to whoever asked for it', async () => {
    books = sound()
    const seen: Loose[] = []
    const input = { name: 'get_statement', arguments: november }
    const answer = await agent.client.callTool(input, {
      onprogress: (progress) => seen.push({ ...progress }),
    })
    expect(seen.map(({ progress, total }) => [progress, total])).toEqual([1, 2, 3, 4, 5].map((at) => [at, 5]))
    expect(answer.isError).toBeFalsy()
  })

  it('stops asking when its reader has gone', async () => {
    books = { ...sound(), '/api/v1/transactions': Array.from({ length: 40 }, () => transaction(1, -1, -1)) }
    asked = []
    const gone = new AbortController()
    const { promise: left, resolve } = Promise.withResolvers<void>()
    onAsked = async (path) => {
      if (!path.endsWith('/transactions') || asked.filter((each) => each === path).length !== 2) return
      gone.abort()
      await left
    }
    const request = modernRequest('tools/call', { name: 'get_statement', arguments: november })
    const answer = fetch(`${desk.url}/mcp`, {
      method: 'POST',
      headers: { ...request.headers, 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(request.body),
      signal: gone.signal,
    })
    await expect(answer).rejects.toThrow()
    // The server hears of it before the books answer: then nothing more is asked.
    await heard()
    resolve()
    await heard()
    onAsked = () => {}
    expect(asked.filter((path) => path.endsWith('/transactions'))).toHaveLength(2)
    expect(asked).not.toContain('/api/v1/bills')
  })
})

/** Some round trips on another connection: by then the server has read what came before. */
async function heard() {
  for (let at = 0; at < 5; at++) await fetch(`${house.url}/livez`)
}
