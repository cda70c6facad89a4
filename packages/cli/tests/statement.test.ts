import { afterEach, describe, expect, it } from 'vitest'
import { type FakeGateway, openFakeGateway } from './fake-gateway.ts'
import { runInProcess } from './run-in-process.ts'

let gateway: FakeGateway
afterEach(() => gateway.close())

const period = ['--from', '2026-11-01', '--to', '2026-11-30', '--json']

/** Pages of transactions, newest first, each with the balances around its own rows. */
const pages = [
  {
    data: [{ currency: 'AUD', amount: -20 }],
    balances: [{ currency: 'AUD', opening_balance: 80, closing_balance: 60 }],
  },
  {
    data: [
      { currency: 'AUD', amount: -30 },
      { currency: 'CNY', amount: 5 },
    ],
    balances: [
      { currency: 'AUD', opening_balance: 110, closing_balance: 80 },
      { currency: 'CNY', opening_balance: 0, closing_balance: 5 },
    ],
  },
  {
    data: [{ currency: 'AUD', amount: 10 }],
    balances: [{ currency: 'AUD', opening_balance: 100, closing_balance: 110 }],
  },
]

describe('tgw statement', () => {
  it('adds a period of several pages up', async () => {
    gateway = await openFakeGateway(({ query }) => {
      const index = Number(query.get('cursor') ?? 0)
      const has_more = index + 1 < pages.length
      return { ...pages[index], has_more, next_cursor: has_more ? String(index + 1) : null }
    })
    const { code, out, err } = await runInProcess(['statement', ...period], { env: gateway.env })
    expect(code, err).toBe(0)
    const sums = out.trim().split('\n')
    expect(sums.map((line) => JSON.parse(line))).toMatchObject([
      { currency: 'AUD', opening_balance: 100, transactions: 3, amount: -40, closing_balance: 60 },
      { currency: 'CNY', opening_balance: 0, transactions: 1, amount: 5, closing_balance: 5 },
    ])
  })
})
