/** "Was this page helpful?": what the pages send, and what the operator sees. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { prune } from '../src/housekeeping.ts'
import { adminToken, openTestGateway, type TestGateway } from './harness.ts'

let house: TestGateway

beforeAll(async () => {
  house = await openTestGateway()
})
afterAll(() => house.close())

const vote = (body: unknown, type = 'application/json') =>
  fetch(`${house.url}/feedback`, {
    method: 'POST',
    headers: { 'content-type': type },
    body: JSON.stringify(body),
  })

async function readVotes(query = '') {
  const response = await fetch(`${house.url}/admin/api/feedback${query}`, {
    headers: { 'x-admin-token': adminToken },
  })
  expect(response.status).toBe(200)
  return JSON.parse(await response.text()).data
}

const page = '/docs/quickstart'

describe('a vote on a page', () => {
  it('is counted by page and verdict, those with the most complaints first', async () => {
    for (const verdict of ['helpful', 'helpful', 'unclear'])
      expect((await vote({ page, language: 'ko', verdict })).status).toBe(200)
    for (const verdict of ['wrong', 'other'])
      expect((await vote({ page: '/errors/NOT_FOUND', language: 'en', verdict })).status).toBe(200)
    expect(await readVotes()).toEqual([
      {
        page: '/errors/NOT_FOUND',
        helpful: 0,
        unclear: 0,
        incomplete: 0,
        wrong: 1,
        other: 1,
        last_at: '2026-11-21T00:00:00.000Z',
      },
      {
        page,
        helpful: 2,
        unclear: 1,
        incomplete: 0,
        wrong: 0,
        other: 0,
        last_at: '2026-11-21T00:00:00.000Z',
      },
    ])
  })

  it('keeps nothing but the count', async () => {
    const rows = await house.gateway.store.db.selectFrom('page_votes').selectAll().execute()
    for (const row of rows)
      expect(Object.keys(row).toSorted()).toEqual(['day', 'language', 'page', 'verdict', 'votes'])
  })

  it.each([
    ['a page that does not exist', { page: '/docs/nope', language: 'en', verdict: 'helpful' }, 'page'],
    ['an unknown verdict', { page, language: 'en', verdict: 'I am Alex Lee' }, 'verdict'],
    ['an unknown language', { page, language: 'fr', verdict: 'helpful' }, 'language'],
  ])('is refused for %s', async (_what, body, param) => {
    const response = await vote(body)
    const { error } = JSON.parse(await response.text())
    expect([response.status, error.code, error.param]).toEqual([422, 'VALIDATION_FAILED', param])
  })

  it('is refused without a JSON type, so that no form of another site votes', async () => {
    expect((await vote({ page, language: 'en', verdict: 'helpful' }, 'text/plain')).ok).toBe(false)
  })

  it('is limited by address', async () => {
    house.clock.advance(120_000)
    const statuses: number[] = []
    for (let at = 0; at < 12; at++)
      statuses.push((await vote({ page, language: 'zh', verdict: 'helpful' })).status)
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429, 429])
  })

  it('is forgotten after 400 days, and is for the operator only', async () => {
    expect((await fetch(`${house.url}/admin/api/feedback`)).status).toBe(401)
    expect((await readVotes()).length).toBeGreaterThan(0)
    house.clock.advance(402 * 24 * 3_600_000)
    await prune(house.gateway)
    expect(await house.gateway.store.db.selectFrom('page_votes').selectAll().execute()).toEqual([])
  })
})
