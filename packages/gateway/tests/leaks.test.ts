/**
 * Secrets and recipients appear in no log line, span, metric or audit row, and in no response to an operator but the
 * order's own. The test uses planted values everywhere, and then searches all of these. The harness searches the same,
 * except for spans, in every other test.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminCatalogue } from '../src/catalogue.ts'
import { jsonLog } from '../src/kernel/log.ts'
import type { SpanEnd, Spans } from '../src/kernel/spans.ts'
import { storeRequests } from '../src/requests/record.ts'
import { createWatchedLog, findPlanted, plantCanaries } from './canaries.ts'
import {
  adminToken,
  buyers,
  call,
  createWorld,
  type LooseJson,
  openTestGateway,
  type TestGateway,
} from './harness.ts'
import { deliverDue, openReceiver, privateNets, registerEndpoint } from './receiver.ts'
import { alex, type Buyer, buildDropship, expectData, openShop } from './trade.ts'

const guesses = ['a-planted-wrong-password', 'a-planted-wrong-secret', 'a-planted-wrong-admin-token']
const inUrl = 'a-planted-value-in-a-url'
const inBody = 'a planted text in a body that is refused'
plantCanaries(...guesses, inUrl, inBody)

const spans: string[] = []
/** Records every span as text. */
const recordingSpans: Spans = {
  start({ name, parent }) {
    const traceId = parent?.traceId ?? 'a'.repeat(32)
    return {
      context: { traceId, spanId: 'b'.repeat(16), isSampled: true },
      end: (end: SpanEnd) => void spans.push(JSON.stringify({ name, ...end })),
    }
  },
  close: async () => {},
}

const lines: string[] = []
let house: TestGateway
let shop: Buyer
/** The ids of what the test created, by the names of the parameters of the operator's paths. */
const ids: Record<string, string> = {}

beforeAll(async () => {
  const log = jsonLog('debug', { write: (line: string) => void lines.push(line) })
  house = await openTestGateway({ settings: privateNets, spans: recordingSpans, log })
  shop = openShop(house)
  await makeTraces()
})
afterAll(() => house.close())

/** Makes the calls that leave planted values wherever they could be written. */
async function makeTraces() {
  const receiver = await openReceiver(() => house.clock.now())
  const { endpoint_id } = await registerEndpoint(house, await shop.token(), receiver.url)
  const wish = buildDropship(await shop.createSku())
  const { dropship_order_id } = expectData(
    await shop.post('/dropship-orders/submit', wish, { 'x-request-id': 'leaks-submit' }),
  )
  await shop.post('/dropship-orders/submit', { ...wish, recipient: { ...alex, phone: 7 }, remark: inBody })
  await shop.get(`/dropship-orders?q=${inUrl}`)
  const { token, channel_code } = await createWorld(house)
  await call(house, 'POST', '/api/v1/orders', { token, body: { lines: inBody } })
  await call(house, 'GET', `/api/v1/${inUrl}`, { token })
  await signInWrongly()
  await call(house, 'GET', `/admin/api/channels?token=${inUrl}`, { admin: adminToken })
  await deliverDue(house)
  await receiver.close()
  await storeRequests(house.gateway)
  Object.assign(ids, { order_id: dropship_order_id, request_id: 'leaks-submit', channel_code, endpoint_id })
  for (const [name, list] of [
    ['audit_id', 'audit'],
    ['delivery_id', 'webhook-deliveries'],
    ['lockout_id', 'lockouts'],
  ] as const)
    ids[name] = (await readAsOperator(`/admin/api/${list}`)).json.data[0]?.[name] ?? ''
}

async function signInWrongly() {
  const requestToken = (body: LooseJson) => call(house, 'POST', '/api/v1/auth/token', { body })
  for (let tries = 0; tries < 6; tries++)
    await requestToken({ grant_type: 'password', username: buyers[1].username, password: guesses[0] })
  // People type passwords into the field of the name.
  for (let tries = 0; tries < 6; tries++)
    await requestToken({ grant_type: 'password', username: guesses[0], password: 'x' })
  await requestToken({ client_id: 'cli_none', client_secret: guesses[1] })
  await call(house, 'GET', '/admin/api/channels', { admin: guesses[2] ?? '' })
}

const readAsOperator = (path: string) => call(house, 'GET', path, { admin: adminToken })

/** The queries that reads require. */
const requiredQueries: Readonly<Record<string, string>> = { 'admin.stock_figures.compare': '?sku=SBX-LAST-1' }
const reads = adminCatalogue.filter(({ method, access }) => method === 'GET' && access === 'admin')

describe('planted secrets and recipients', () => {
  it('are in none of the operator’s responses but the order’s own', async () => {
    const names: string[] = []
    for (const { id, path } of reads) {
      const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) => ids[name] ?? 'none')
      const { status, text } = await readAsOperator(`${filled}${requiredQueries[id] ?? ''}`)
      if (status === 200) names.push(id)
      if (id === 'admin.orders.read')
        expect(findPlanted(text), 'the search finds what there is').toBe(alex.name)
      else expect(findPlanted(text), `${id}: ${text.slice(0, 300)}`).toBeUndefined()
    }
    expect(names).toEqual(reads.map(({ id }) => id))
  })

  it('are in no row of the audit log', async () => {
    const rows = await house.gateway.store.db.selectFrom('admin_audit').selectAll().execute()
    expect(rows.length).toBeGreaterThan(5)
    for (const row of rows) expect(findPlanted(JSON.stringify(row)), row.detail).toBeUndefined()
  })

  it('are in no metric', async () => {
    const { text } = await readAsOperator('/metrics')
    expect(text).toContain('tgw_errors_total')
    expect(findPlanted(text)).toBeUndefined()
  })

  it('are in no span of a request, of a call to the ERP or of a delivery', () => {
    const names = spans.map((span) => JSON.parse(span).name)
    expect(names).toContain('POST /api/v1/dropship-orders/submit')
    expect(names.length).toBeGreaterThan(10)
    for (const span of spans) expect(findPlanted(span), span).toBeUndefined()
  })

  it('are in no line of the log', () => {
    expect(lines.length).toBeGreaterThan(5)
    for (const line of lines) expect(findPlanted(line), line).toBeUndefined()
    // The search would find them.
    const watched = createWatchedLog()
    watched.log.info({ error: alex.name }, 'a line')
    expect(watched.listLeaks()).toHaveLength(1)
  })
})
