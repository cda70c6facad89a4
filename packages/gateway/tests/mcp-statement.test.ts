/**
 * A statement's amounts add up, or it reports the difference. It stops reading the ledger when the client has
 * disconnected.
 */

import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ApiResponse, Call } from '../src/contract/call.ts'
import { createListener } from '../src/http/adapter.ts'
import { createGatewayServer } from '../src/http/server.ts'
import { createMcpPipeline } from '../src/mcp/pipeline.ts'
import { createProgressReporter } from '../src/mcp/server.ts'
import type { Pipeline } from '../src/pipeline/pipeline.ts'
import { parseQuery } from '../src/pipeline/stages/parse.ts'
import { type Agent, buildModernRequest, connectAgent } from './agent.ts'
import { createWorld, type LooseJson, openTestGateway, type TestGateway } from './harness.ts'

let house: TestGateway
let desk: TestGateway
let agent: Agent
let token: string
/** The ledger's content; tests change it. */
let books: Books
/** Every request that reached the ledger. */
let asked: string[] = []
/** The balances that every page of transactions reports for currencies without a transaction. */
let resting: LooseJson[] = []
/** The time as of which the ledger is read. */
let asOf = '2026-11-21T12:00:00.000Z'
let onAsked: (path: string) => Promise<void> | void = () => {}

interface Books {
  readonly [path: string]: LooseJson[]
}

const formatDay = (at: number) => `2026-11-${String(at).padStart(2, '0')}`
const buildTransaction = (
  at: number,
  amount: number,
  balance_after: number,
  currency = 'AUD',
  type = 'order_charge',
) => ({
  transaction_id: `txn_${currency}_${at}`,
  occurred_at: `${formatDay(at)}T10:00:00.000Z`,
  type,
  amount,
  currency,
  balance_after,
  description: 'as the ERP says',
})

/**
 * Takes the place of the API behind the MCP action: returns the ledger, newest first and two rows a page, so that there
 * are several pages. Each page has its opening and closing balance.
 */
const pipeline: Pipeline = async (call) => {
  asked.push(call.path)
  await onAsked(call.path)
  const all = books[call.path]
  if (!all)
    return buildJsonResponse(call, 404, {
      error: {
        code: 'NOT_FOUND',
        message: 'No.',
        hint: 'No.',
        request_id: call.requestId,
        doc_url: '/errors/NOT_FOUND',
      },
    })
  const { cursor = '0' } = parseQuery(call)
  const from = Number(cursor)
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
  return buildJsonResponse(call, 200, {
    data,
    has_more: all.length > from + 2,
    page: from / 2 + 1,
    page_size: 2,
    as_of: asOf,
    next_cursor: all.length > from + 2 ? String(from + 2) : null,
    ...(call.path.endsWith('/transactions') ? { balances: [...balances, ...resting] } : {}),
  })
}

function buildJsonResponse(call: Call, status: number, body: unknown): ApiResponse {
  call.cost = 1
  return { status, headers: ['Content-Type', 'application/json'], body: JSON.stringify(body) }
}

const createBooks = (): Books => ({
  '/api/v1/balances': [
    { currency: 'AUD', balance: 120.3, available: 120.3, updated_at: `${formatDay(9)}T10:00:00.000Z` },
    { currency: 'CNY', balance: -5, available: 0, updated_at: `${formatDay(7)}T10:00:00.000Z` },
  ],
  '/api/v1/transactions': [
    buildTransaction(9, 0.2, 120.3, 'AUD', 'refund'),
    buildTransaction(7, -5, -5, 'CNY'),
    buildTransaction(5, 0.1, 120.1, 'AUD', 'refund'),
    buildTransaction(4, 100, 120, 'AUD', 'payment'),
    buildTransaction(2, -30, 20),
  ],
  '/api/v1/bills': [
    {
      bill_id: 'bill_1',
      issued_at: `${formatDay(8)}T00:00:00.000Z`,
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
      requested_at: `${formatDay(5)}T09:00:00.000Z`,
      amount: 0.1,
      currency: 'AUD',
      status: 'completed',
      transaction_id: 'txn_AUD_5',
    },
  ],
  '/api/v1/freight-bills': [
    { freight_bill_id: 'frb_1', billed_at: `${formatDay(3)}T00:00:00.000Z`, amount: 8.5, currency: 'AUD' },
  ],
})

beforeAll(async () => {
  house = await openTestGateway()
  const server = createGatewayServer(
    house.gateway,
    createListener(house.gateway, createMcpPipeline(house.gateway, pipeline)),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  desk = { ...house, url: `http://127.0.0.1:${port}`, port, close: async () => void server.close() }
  token = (await createWorld(house)).token
  agent = await connectAgent(desk, token)
})
afterAll(async () => {
  await agent.client.close()
  await desk.close()
  await house.close()
})

const november = { start_date: '2026-11-01', end_date: '2026-11-21' }
const listFailedChecks = (data: LooseJson) => data.checks.filter((each: LooseJson) => !each.ok)

describe('get_statement', () => {
  it('reads every page and proves that it adds up, per currency', async () => {
    books = createBooks()
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
    expect(listFailedChecks(data)).toEqual([])
    expect(data.checks.map((each: LooseJson) => each.name)).toEqual([
      'AUD opening + amounts = closing',
      'AUD balance_after is gapless',
      'AUD closing = balance',
      'CNY opening + amounts = closing',
      'CNY balance_after is gapless',
      'CNY closing = balance',
      'AUD bills: total − paid = due',
    ])
    expect(data.rows.map((each: LooseJson) => each.kind)).toEqual([
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
    const runWithChange = async (change: (all: Books) => void) => {
      books = createBooks()
      change(books)
      return listFailedChecks((await agent.call('get_statement', november)).data)
    }
    const lost = await runWithChange((all) => void all['/api/v1/transactions']?.splice(2, 1))
    expect(lost).toEqual([
      { name: 'AUD opening + amounts = closing', ok: false, diff: -0.1 },
      { name: 'AUD balance_after is gapless', ok: false, diff: 0.1 },
    ])
    const edited = await runWithChange((all) =>
      Object.assign(all['/api/v1/transactions']?.[3] ?? {}, { amount: 99 }),
    )
    expect(edited.map((each: LooseJson) => each.name)).toContain('AUD balance_after is gapless')
    const snapshot = await runWithChange((all) =>
      Object.assign(all['/api/v1/balances']?.[0] ?? {}, { balance: 1.3 }),
    )
    expect(snapshot).toEqual([{ name: 'AUD closing = balance', ok: false, diff: 119 }])
    const bill = await runWithChange((all) =>
      Object.assign(all['/api/v1/bills']?.[0] ?? {}, { amount_due: 30 }),
    )
    expect(bill).toEqual([{ name: 'AUD bills: total − paid = due', ok: false, diff: 0.1 }])
  })

  it('does not hold a past month against the balance of today', async () => {
    books = createBooks()
    const { data } = await agent.call('get_statement', { ...november, end_date: '2026-11-20' })
    expect(data.checks.map((each: LooseJson) => each.name)).not.toContain('AUD closing = balance')
  })

  it('does not compare what was booked while it read', async () => {
    const hasBalanceCheck = async () => {
      const { data } = await agent.call('get_statement', november)
      expect(listFailedChecks(data)).toEqual([])
      return data.checks.some((each: LooseJson) => each.name === 'AUD closing = balance')
    }
    const setBalance = (updated_at: string, balance: number) => {
      Object.assign(books['/api/v1/balances']?.[0] ?? {}, { balance, updated_at })
    }
    // A transaction is booked between reading the last transaction and reading the balance.
    books = createBooks()
    onAsked = (path) => {
      if (path.endsWith('/bills')) setBalance('2026-11-21T12:00:00.001Z', 90)
    }
    expect(await hasBalanceCheck()).toBe(false)
    onAsked = () => {}
    // The balance was read before the newest transaction was booked.
    books = createBooks()
    setBalance(`${formatDay(9)}T09:59:59.999Z`, 120.1)
    expect(await hasBalanceCheck()).toBe(false)
    books = createBooks()
    expect(await hasBalanceCheck()).toBe(true)
  })

  it('does not compare with a balance whose newest booking is dated after the last day', async () => {
    books = createBooks()
    // The ERP's clock is ahead: its day has begun, and the list as of it ends with the day that was asked for.
    asOf = '2026-11-22T00:00:03.000Z'
    Object.assign(books['/api/v1/balances']?.[0] ?? {}, {
      balance: 90,
      updated_at: '2026-11-22T00:00:02.000Z',
    })
    const { data } = await agent.call('get_statement', november)
    asOf = '2026-11-21T12:00:00.000Z'
    expect(listFailedChecks(data)).toEqual([])
    expect(data.checks.map((each: LooseJson) => each.name)).not.toContain('AUD closing = balance')
    expect(data.checks.map((each: LooseJson) => each.name)).toContain('CNY closing = balance')
  })

  it('opens and closes a currency without movement with the same balance', async () => {
    books = createBooks()
    books['/api/v1/balances']?.push({
      currency: 'KRW',
      balance: 700,
      updated_at: `${formatDay(1)}T00:00:00.000Z`,
    })
    resting = [{ currency: 'KRW', opening_balance: 700, closing_balance: 700 }]
    const { data, text } = await agent.call('get_statement', november)
    resting = []
    expect(data).toMatchObject({
      currencies: ['AUD', 'CNY', 'KRW'],
      opening: { KRW: 700 },
      closing: { KRW: 700 },
      totals: { KRW: {} },
    })
    expect(data.checks.map((each: LooseJson) => each.name)).toContain('KRW closing = balance')
    expect(listFailedChecks(data)).toEqual([])
    expect(text).toContain('KRW: opening 700, closing 700.')
  })

  it('reads only what is included, and leaves the rows out when asked', async () => {
    books = createBooks()
    asked = []
    const { data } = await agent.call('get_statement', { ...november, include: ['bills'], detail: 'concise' })
    expect(asked).toEqual(['/api/v1/bills'])
    expect(data).toMatchObject({ currencies: [], rows: [], points_spent: 1 })
  })

  it('shows at most fifty rows, and says that there are more', async () => {
    const many = Array.from({ length: 48 }, (_, at) => buildTransaction(1, -1, -48 + at))
    books = { ...createBooks(), '/api/v1/transactions': many }
    const { data } = await agent.call('get_statement', november)
    expect(data.rows).toHaveLength(50)
    expect(data.truncated).toBe(true)
    expect(data.totals.AUD.order_charge).toBe(-48)
    // No rows were requested, so none are missing.
    const concise = await agent.call('get_statement', { ...november, detail: 'concise' })
    expect(concise.data).toMatchObject({ rows: [], truncated: false })
  })

  it('ends at a named number of pages, says that it was cut short and does not claim to add up', async () => {
    books = {
      ...createBooks(),
      '/api/v1/transactions': Array.from({ length: 80 }, (_, at) => buildTransaction(1, -1, -80 + at)),
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
    const said = 'transactions incomplete: only the newest 50 were read; request fewer days'
    expect(data.checks).toEqual([
      { name: said, ok: false },
      { name: 'AUD balance_after is gapless', ok: true, diff: 0 },
    ])
    expect(text).toBe(`AUD: opening not read, closing -80. Checks failed: ${said}.`)
  })

  it('links each list of its days as CSV, which the same client can read', async () => {
    const client = await connectAgent(house, token)
    const listLinks = async (asking: Agent, more: LooseJson = {}) => {
      const { content } = await asking.callRaw('get_statement', { ...november, ...more })
      return content.filter(({ type }: LooseJson) => type === 'resource_link')
    }
    const links = await listLinks(client)
    expect(links.map(({ name, mimeType }: LooseJson) => [name, mimeType])).toEqual(
      ['transactions', 'bills', 'refunds', 'freight_bills'].map((kind) => [
        `${kind}-2026-11-01-2026-11-21.csv`,
        'text/csv',
      ]),
    )
    expect(await listLinks(client, { include: ['balances', 'refunds'] })).toEqual([links[2]])
    for (const { uri, mimeType, name } of links) {
      const { contents } = await client.client.readResource({ uri })
      const path = `/api/v1/${name.split('-2026')[0].replace('_', '-')}`
      const over = await fetch(
        `${house.url}${path}?start_date=2026-11-01&end_date=2026-11-21&page_size=200`,
        {
          headers: { authorization: `Bearer ${token}`, accept: mimeType },
        },
      )
      expect(contents).toEqual([{ uri, mimeType, text: await over.text() }])
    }
    // Clients of the first revision do not know links.
    const oldest = await connectAgent(house, token, { revision: '2025-03-26' })
    expect(await listLinks(oldest)).toEqual([])
  })

  it('gives a list as CSV whole or not at all', async () => {
    const read = () =>
      agent.client.readResource({ uri: 'tgw://statements/transactions/2026-11-01/2026-11-21.csv' })
    books = createBooks()
    const [content] = (await read()).contents
    expect(content && 'text' in content && content.text.split('\r\n')).toHaveLength(1 + 5 + 1)
    const many = Array.from({ length: 80 }, (_, at) => buildTransaction(1, -1, -80 + at))
    books = { ...createBooks(), '/api/v1/transactions': many }
    await expect(read()).rejects.toThrow(/VALIDATION_FAILED: .*more than 50 rows.*Request fewer days/)
    for (const uri of [
      'tgw://statements/balances/2026-11-01/2026-11-21.csv',
      'tgw://statements/bills/now/x.csv',
    ])
      await expect(agent.client.readResource({ uri })).rejects.toThrow(/not found/i)
  })

  it('tells a failure of the books as one', async () => {
    books = {}
    expect(await agent.expectRefusal('get_statement', november)).toMatch(/^NOT_FOUND: No\. No\./)
  })

  it('streams how far it is to whoever asked for it', async () => {
    books = createBooks()
    const seen: LooseJson[] = []
    const input = { name: 'get_statement', arguments: november }
    const answer = await agent.client.callTool(input, {
      onprogress: (progress) => seen.push({ ...progress }),
    })
    expect(seen.map(({ progress, total }) => [progress, total])).toEqual([1, 2, 3, 4, 5].map((at) => [at, 5]))
    expect(answer.isError).toBeFalsy()
  })

  it('does not end the process when nobody is left to be told of progress', async () => {
    const notify = () => Promise.reject(new Error('Not connected'))
    const report = createProgressReporter({ notify, _meta: { progressToken: 1 } })
    report?.(1, 5)
    // A rejection that nobody handles fails this run, as it ends the process.
    await waitUntilServerHasRead()
  })

  it('stops asking when its reader has gone', async () => {
    books = {
      ...createBooks(),
      '/api/v1/transactions': Array.from({ length: 40 }, () => buildTransaction(1, -1, -1)),
    }
    asked = []
    const gone = new AbortController()
    const { promise: left, resolve } = Promise.withResolvers<void>()
    onAsked = async (path) => {
      if (!path.endsWith('/transactions') || asked.filter((each) => each === path).length !== 2) return
      gone.abort()
      await left
    }
    const request = buildModernRequest('tools/call', { name: 'get_statement', arguments: november })
    const answer = fetch(`${desk.url}/mcp`, {
      method: 'POST',
      headers: { ...request.headers, 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(request.body),
      signal: gone.signal,
    })
    await expect(answer).rejects.toThrow()
    // The server notices the disconnect before the ledger responds, and sends no further requests.
    await waitUntilServerHasRead()
    resolve()
    await waitUntilServerHasRead()
    onAsked = () => {}
    expect(asked.filter((path) => path.endsWith('/transactions'))).toHaveLength(2)
    expect(asked).not.toContain('/api/v1/bills')
  })
})

/**
 * Makes several round trips on another connection. After these, the server has read what was sent to it before.
 */
async function waitUntilServerHasRead() {
  for (let at = 0; at < 5; at++) await fetch(`${house.url}/livez`)
}
