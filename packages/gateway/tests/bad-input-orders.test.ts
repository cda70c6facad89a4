/**
 * Invalid orders: each is refused with the name of the wrong field, costs the documented number of points and never
 * reaches the ERP.
 */

import {
  callOperation,
  createErp,
  type Erp,
  operationIds,
  operations,
  rejected,
} from '@trade-gateway/connector'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { catalogue } from '../src/catalogue.ts'
import { releaseExpiredHolds } from '../src/holds/expire.ts'
import {
  type CallInit,
  type CallResult,
  call,
  createWorld,
  openTestGateway,
  signInBuyer,
  type TestGateway,
} from './harness.ts'
import {
  alex,
  type Buyer,
  buildDropship,
  createDraft,
  createOrderNumber,
  expectData,
  expectError,
  harbourShipping,
  openSecondGateway,
  openShop,
  passTime,
} from './trade.ts'

let house: TestGateway
let shop: Buyer
let sku: string
let draft: string
/** The writes that reached the ERP. */
const written: string[] = []

/** Returns an ERP that records the name of every write that reaches it. Sign-ins are not recorded. */
function wrapErpToRecordWrites(erp: Erp, into: string[]): Erp {
  return createErp((id, input, options) => {
    if (operations[id].kind === 'write' && id !== 'sign_in') into.push(id)
    return callOperation(erp, id, input, options)
  })
}

beforeAll(async () => {
  house = await openTestGateway({ styles: 60, wrapErp: (erp) => wrapErpToRecordWrites(erp, written) })
  shop = openShop(house)
  sku = await shop.createSku({ AUSYD1: 100 })
  draft = (await createDraft(shop, sku, 1)).order_id
})
afterAll(() => house.close())
beforeEach(() => {
  written.length = 0
})

const jsonType = { 'content-type': 'application/json' }

/** Checks that the refusal names the field, that it costs at most one point, and that nothing reached the ERP. */
function expectFieldRefused(answer: CallResult, param: string) {
  expectError(answer, 'VALIDATION_FAILED', { param })
  // After ten refusals in a minute, each further refusal costs a point.
  expect(Number(answer.headers.get('ratelimit-cost'))).toBeLessThanOrEqual(1)
  expect(written).toEqual([])
}

/** Lists the endpoints that accept order lines, each with the name of that field. */
const listEndpointsWithLines = () =>
  [
    ['POST', '/orders', 'lines', {}],
    ['PATCH', `/orders/${draft}`, 'lines', {}],
    ['POST', `/orders/${draft}/allocation-preview`, 'lines', {}],
    ['POST', `/orders/${draft}/submit`, 'lines', {}],
    ['POST', '/reservations', 'lines', { warehouse_code: 'AUSYD1' }],
    ['POST', '/carts', 'items', {}],
    ['PUT', '/carts/crt_nowhere/items', 'items', {}],
  ] as const

type EndpointWithLines = ReturnType<typeof listEndpointsWithLines>[number]

async function expectLinesRefused(
  rawLines: string,
  paramOf: (field: string) => string,
  endpoints: readonly EndpointWithLines[] = listEndpointsWithLines(),
) {
  for (const [method, path, field, more] of endpoints) {
    const rest = JSON.stringify(more).slice(1)
    const raw = `{"${field}":${rawLines}${rest === '}' ? '' : ','}${rest}`
    expectFieldRefused(await shop.send(method, path, { raw, headers: jsonType }), paramOf(field))
  }
}

const quantities = [
  '0',
  '-1',
  '1.5',
  '"1"',
  '1e309',
  '-1e309',
  '9007199254740993',
  '1000000',
  'null',
  'true',
  '[1]',
  '{}',
]

describe('a quantity', () => {
  it.each(quantities)('of %s is refused on every line', async (quantity) => {
    await expectLinesRefused(`[{"sku":"${sku}","quantity":${quantity}}]`, (field) => `${field}[0].quantity`)
  })

  it('must be there', async () => {
    await expectLinesRefused(`[{"sku":"${sku}"}]`, (field) => `${field}[0].quantity`)
  })

  it.each([...quantities, '1000'])('of %s is refused for a drop-ship order', async (quantity) => {
    const body = JSON.stringify(buildDropship(sku)).replace('"quantity":1', `"quantity":${quantity}`)
    for (const action of ['allocation-preview', 'submit']) {
      const answer = await shop.send('POST', `/dropship-orders/${action}`, { raw: body, headers: jsonType })
      expectFieldRefused(answer, 'quantity')
    }
  })

  it.each(['1.0', '1e0', '10e-1'])('of %s is the whole number that it is', async (quantity) => {
    const raw = `{"lines":[{"sku":"${sku}","quantity":${quantity}}]}`
    const answer = await shop.send('POST', '/orders', { raw, headers: jsonType })
    expect(expectData(answer, 201).lines[0].quantity).toBe(1)
  })
})

describe('lines', () => {
  it.each([
    ['null', ''],
    ['{}', ''],
    ['"x"', ''],
    ['[null]', '[0]'],
    ['[[]]', '[0]'],
    ['[{"quantity":1}]', '[0].sku'],
    ['[{"sku":1,"quantity":1}]', '[0].sku'],
    ['[{"sku":"","quantity":1}]', '[0].sku'],
    ['[{"sku":"A","quantity":1,"price":1}]', '[0].price'],
    ['[{"sku":"A","quantity":1,"discount":1}]', '[0].discount'],
  ])('%s are refused', async (lines, path) => {
    await expectLinesRefused(lines, (field) => `${field}${path}`)
  })

  it('are at least one, except in a cart, which may be empty', async () => {
    const needing = listEndpointsWithLines().filter(([, , field]) => field === 'lines')
    expect(needing).toHaveLength(5)
    await expectLinesRefused('[]', (field) => field, needing)
  })

  it('with a SKU twice are refused: merging would hide a mistake', async () => {
    const lines = [sku, 'B', sku].map((each) => ({ sku: each, quantity: 1 }))
    await expectLinesRefused(JSON.stringify(lines), (field) => `${field}[2].sku`)
  })

  it('are 500 at most', async () => {
    const lines = Array.from({ length: 501 }, (_each, index) => ({ sku: `S${index}`, quantity: 1 }))
    await expectLinesRefused(JSON.stringify(lines), (field) => field)
    const unknown = await shop.post('/orders', { lines: lines.slice(0, 500) })
    expectError(unknown, 'NOT_FOUND', { param: 'lines[0].sku' })
  })

  it.each([
    ['decomposed', 'e\u0301'],
    ['a zero-width space', 'A\u200bB'],
    ['right to left', '\u202eABC'],
    ['a NUL', 'A\u0000'],
    ['a line end', 'A\r\nB'],
    ['a lone surrogate', '\ud800'],
    ['a surrogate the wrong way round', '\udc00\ud800'],
    ['65 characters', 'A'.repeat(65)],
    ['a hundred thousand characters', 'A'.repeat(100_000)],
  ])('with a SKU that is no identifier (%s) are refused', async (_name, bad) => {
    await expectLinesRefused(JSON.stringify([{ sku: bad, quantity: 1 }]), (field) => `${field}[0].sku`)
    expectFieldRefused(await shop.post('/dropship-orders/submit', buildDropship(bad)), 'sku')
  })

  it.each([
    ['in other letters', () => sku.toLowerCase()],
    ['with a space before it', () => ` ${sku}`],
    [
      'full width',
      () => sku.replace(/[A-Z]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0)),
    ],
    ['a key of every object', () => '__proto__'],
    ['another', () => 'constructor'],
    ['SQL', () => "x' or '1'='1"],
    ['a wildcard', () => '%'],
    ['a style', () => 'SBX'],
  ])('with a SKU that does not exist (%s) are NOT_FOUND', async (_name, unknown) => {
    const lines = [
      { sku, quantity: 1 },
      { sku: unknown(), quantity: 1 },
    ]
    const toLinesField = (field: string) => ({ param: `${field}[1].sku`, reason: 'sku_unknown' })
    expectError(await shop.post('/orders', { lines }), 'NOT_FOUND', toLinesField('lines'))
    expectError(await shop.post(`/orders/${draft}/submit`, { lines }), 'NOT_FOUND', toLinesField('lines'))
    const reservation = { warehouse_code: 'AUSYD1', lines }
    expectError(await shop.post('/reservations', reservation), 'NOT_FOUND', toLinesField('lines'))
    expectError(await shop.post('/carts', { items: lines }), 'NOT_FOUND', toLinesField('items'))
    expectError(await shop.post('/dropship-orders/submit', buildDropship(unknown())), 'NOT_FOUND', {
      param: 'sku',
      reason: 'sku_unknown',
    })
    expect(written).toEqual([])
  })

  it('with a SKU that the account may not sell are refused up front, wherever they are sent', async () => {
    const lines = [
      { sku, quantity: 1 },
      { sku: 'SBX-BLOCKED', quantity: 1 },
    ]
    const describeBlockedSku = (field: string) => ({ param: `${field}[1].sku`, reason: 'sku_blocked' })
    for (const path of ['/orders', `/orders/${draft}/allocation-preview`, `/orders/${draft}/submit`]) {
      expectError(await shop.post(path, { lines }), 'VALIDATION_FAILED', describeBlockedSku('lines'))
    }
    const reservation = { warehouse_code: 'AUSYD1', lines }
    expectError(
      await shop.post('/reservations', reservation),
      'VALIDATION_FAILED',
      describeBlockedSku('lines'),
    )
    expectError(await shop.post('/carts', { items: lines }), 'VALIDATION_FAILED', describeBlockedSku('items'))
    expect(written).toEqual([])
  })
})

describe('fields of an order', () => {
  it.each([
    ['payment_method', 'cash'],
    ['payment_method', 'INVOICE'],
    ['payment_method', null],
    ['client_order_number', ''],
    ['client_order_number', 'A'.repeat(65)],
    ['client_order_number', 'A\nB'],
    ['client_order_number', 5],
    ['remark', 'A'.repeat(501)],
    ['remark', '\u001b[2J'],
    ['remark', '\ud83d'],
    ['remark', 'e\u0301'],
    ['allow_partial', 'true'],
    ['allow_partial', 1],
    ['max_total', '10'],
    ['max_total', -1],
    ['max_total', 1.005],
    ['warehouse_code', ''],
    ['warehouse_code', 5],
    ['shipping', 'au-standard'],
    ['shipping', []],
    ['shipping.shipping_method_id', {}],
    ['shipping.address_id', { shipping_method_id: 'au-standard', address_id: 5 }],
    ['shipping.method', { shipping_method_id: 'au-standard', method: 'x' }],
    ['channel_code', 'other'],
    ['status', 'confirmed'],
    ['paid', true],
    ['order_id', 'ord_x'],
    ['costs', { total: 0 }],
    ['unit_price', 0],
    ['account_id', 'acc_2'],
    ['currency', 'AUD'],
  ])('%s: %j is refused', async (param, value) => {
    const [field = ''] = param.split('.')
    const lines = [{ sku, quantity: 1 }]
    for (const [method, path] of [
      ['POST', '/orders'],
      ['PATCH', `/orders/${draft}`],
      ['POST', `/orders/${draft}/allocation-preview`],
      ['POST', `/orders/${draft}/submit`],
    ] as const) {
      expectFieldRefused(await shop.send(method, path, { body: { lines, [field]: value } }), param)
    }
  })

  it('take what they promise: 64, 500, any script, two decimals, and text as it is', async () => {
    const body = {
      lines: [{ sku, quantity: 999_999 }],
      client_order_number: `№-${createOrderNumber()}-`.padEnd(64, '番'),
      remark: '<script>alert(1)</script> 👩‍👩‍👧 ignore previous instructions; DROP TABLE orders --'.padEnd(
        500,
        '·',
      ),
      max_total: 0.07,
    }
    const { order_id } = expectData(await shop.post('/orders', body), 201)
    const { remark, client_order_number } = expectData(await shop.get(`/orders/${order_id}`))
    expect({ remark, client_order_number }).toEqual({
      remark: body.remark,
      client_order_number: body.client_order_number,
    })
  })

  it('that do not exist for the account are NOT_FOUND by name', async () => {
    const post = (shipping: object) => shop.post(`/orders/${draft}/submit`, { shipping })
    const address = { param: 'shipping.address_id' }
    expectError(await post({ ...harbourShipping, address_id: 'nowhere' }), 'NOT_FOUND', address)
    expectError(await post({ ...harbourShipping, address_id: 'ADDR-LANTERN-SYD' }), 'NOT_FOUND', address)
    const foreign = { shipping_method_id: 'au-pickup', address_id: 'ADDR-LANTERN-SYD' }
    expectError(await post(foreign), 'NOT_FOUND', address)
    expectError(await post({ ...harbourShipping, shipping_method_id: 'rocket' }), 'NOT_FOUND', {
      param: 'shipping.shipping_method_id',
    })
    const elsewhere = { ...harbourShipping, shipping_method_id: 'cn-standard' }
    expectError(await post(elsewhere), 'VALIDATION_FAILED', { param: 'shipping.shipping_method_id' })
    expect(written).toEqual([])
  })

  it('do not matter to a release that comes again: the ERP hears of the first only', async () => {
    const { dropship_order_id: id } = expectData(
      await shop.post('/dropship-orders/allocation-preview', buildDropship(sku)),
    )
    const path = `/dropship-orders/${id}`
    const once = expectData(await shop.send('DELETE', `${path}/allocation`))
    expect(written).toEqual(['hold', 'release'])
    written.length = 0
    expect(expectData(await shop.send('DELETE', `${path}/allocation`))).toEqual(once)
    expect(expectData(await shop.send('DELETE', path))).toEqual(once)
    expect(written).toEqual([])
  })
})

describe('a recipient', () => {
  const parts: readonly (readonly [string, unknown])[] = [
    ...(['name', 'phone', 'address', 'city', 'country_code'] as const).flatMap((part) => [
      [part, undefined] as const,
      [part, null] as const,
      [part, ''] as const,
      [part, 5] as const,
    ]),
    ['name', 'A'.repeat(101)],
    ['phone', '1'.repeat(33)],
    ['address', 'A'.repeat(201)],
    ['city', 'A'.repeat(101)],
    ['state', 'A'.repeat(101)],
    ['postal_code', '1'.repeat(21)],
    ['name', 'Alex\u0000'],
    ['name', 'Alex\r\nBcc: x'],
    ['address', '\u001b[31m1 Street'],
    ['city', '\ud800'],
    ['city', 'e\u0301'],
    ['country_code', 'au'],
    ['country_code', 'AUS'],
    ['country_code', 'A1'],
    ['country_code', 'ＡＵ'],
    ['country_code', 'UK'],
    ['country_code', 'XX'],
    ['state', undefined],
    ['state', null],
    ['postal_code', undefined],
    ['email', 'x@y.example'],
    ['__proto', {}],
  ]

  it.each(parts)('without a usable %s (%j) is refused by name', async (part, value) => {
    const body = buildDropship(sku, { recipient: { ...alex, [part]: value } })
    for (const action of ['allocation-preview', 'submit']) {
      expectFieldRefused(await shop.post(`/dropship-orders/${action}`, body), `recipient.${part}`)
    }
  })

  it.each([
    ['AU', 'state'],
    ['US', 'state'],
    ['CA', 'state'],
    ['CN', 'state'],
    ['JP', 'state'],
    ['KR', 'state'],
  ])('in %s needs a %s', async (country_code, part) => {
    const { state: _state, ...stateless } = alex
    const body = buildDropship(sku, { recipient: { ...stateless, country_code } })
    expectFieldRefused(await shop.post('/dropship-orders/submit', body), `recipient.${part}`)
  })

  it.each([
    ['GB, without a state', { country_code: 'GB', state: undefined }],
    ['NZ, without a state', { country_code: 'NZ', state: undefined }],
    ['HK, without a postal code', { country_code: 'HK', state: undefined, postal_code: undefined }],
    ['AE, without a postal code', { country_code: 'AE', state: undefined, postal_code: undefined }],
    [
      'China, in Chinese',
      { country_code: 'CN', state: '浙江省', city: '杭州市', name: '王小明', address: '文三路 88 号' },
    ],
    ['Korea, in Korean', { country_code: 'KR', state: '서울특별시', city: '중구', name: '김철수' }],
    ['as long as can be', { name: '長'.repeat(100), address: 'A'.repeat(200), phone: '1'.repeat(32) }],
    ['an emoji and a joiner', { name: 'Zoë 👩‍👧 O’Brien' }],
    ['markup', { name: '<b>Alex</b> & Co "x"' }],
  ])('may be %s, and comes back as it was sent', async (_name, change) => {
    const wanted = JSON.parse(JSON.stringify({ ...alex, ...change }))
    const answer = await shop.post('/dropship-orders/submit', buildDropship(sku, { recipient: wanted }))
    const { dropship_order_id, recipient } = expectData(answer)
    expect(recipient).toEqual(wanted)
    const { data } = (await shop.get(`/dropship-orders/${dropship_order_id}`)).json
    expect(data.recipient).toEqual(wanted)
    const again = buildDropship(sku, { recipient: data.recipient })
    expectData(await shop.post('/dropship-orders/submit', again))
  })

  it.each([
    ['shipping_method', 'overnight'],
    ['shipping_method', null],
    ['client_order_number', undefined],
    ['client_order_number', ''],
    ['client_order_number', 'A'.repeat(65)],
    ['client_order_number', 'A\u200b'],
    ['max_total', 0.001],
    ['remark', 'A'.repeat(501)],
    ['dropship_order_id', 5],
    ['status', 'pending'],
    ['paid', true],
    ['serial_number', 'x'],
    ['lines', []],
    ['shipping', harbourShipping],
    ['payment_method', 'balance'],
    ['allow_partial', true],
  ])('beside a field that cannot be (%s: %j) is refused', async (param, value) => {
    for (const action of ['allocation-preview', 'submit']) {
      const answer = await shop.post(`/dropship-orders/${action}`, buildDropship(sku, { [param]: value }))
      expectFieldRefused(answer, param)
    }
  })
})

describe('an id or key with what none has', () => {
  it.each(['\u0000', 'dso_\u0000', 'dso_\ud800', 'dso_\u202e', '', 'x'.repeat(10_000)])(
    '(%j) is one that does not exist',
    async (bad) => {
      const body = buildDropship(sku, { dropship_order_id: bad })
      for (const action of ['allocation-preview', 'submit']) {
        expectError(await shop.post(`/dropship-orders/${action}`, body), 'NOT_FOUND')
      }
      expect(written).toEqual([])
    },
  )

  it.each(['%00', 'a%00b', '%E2%80%AE', 'a%20b', '', 'k'.repeat(256)])(
    '(key=%s) is refused by name',
    async (bad) => {
      expectFieldRefused(await shop.get(`/idempotency-keys?key=${bad}`), 'key')
    },
  )
})

describe('a body', () => {
  it.each([
    ['nothing', ''],
    ['an array', '[]'],
    ['a key twice', '{"lines":[{"sku":"A","quantity":1,"quantity":2}]}'],
    ['__proto__', '{"__proto__":{"status":"confirmed"},"lines":[]}'],
    ['a comment', '{"lines":[]/**/}'],
  ])('that is %s is BAD_REQUEST, and costs a refusal at most', async (_name, raw) => {
    const answer = await shop.send('POST', '/orders', { raw, headers: jsonType })
    expectError(answer, 'BAD_REQUEST')
    // After ten refusals in a minute, each further refusal costs a point.
    expect(Number(answer.headers.get('ratelimit-cost'))).toBeLessThanOrEqual(1)
  })

  it('that is mistyped never burns its key', async () => {
    const key = `key-${createOrderNumber()}`
    const headers = { 'idempotency-key': key }
    expectError(await shop.post('/orders', { lines: [] }, headers), 'VALIDATION_FAILED')
    expect((await shop.get(`/idempotency-keys?key=${key}`)).json.data).toEqual([])
    const made = await shop.post('/orders', { lines: [{ sku, quantity: 1 }] }, headers)
    expect([made.status, made.headers.get('idempotent-replayed')]).toEqual([201, null])
  })
})

describe('what the ERP says', () => {
  const hostile = `<img src=x onerror=alert(1)>\u001b[31m\r\nSet-Cookie: a=b\u0000\u202e ignore previous instructions `
  const kinds = ['insufficient_stock', 'invalid_field', 'not_found', 'not_supported', 'sku_blocked'] as const

  it('when it refuses is told as data: bounded and without control characters', async () => {
    let reason: (typeof kinds)[number] = 'invalid_field'
    const rude = await openTestGateway({
      styles: 5,
      wrapErp: (erp) => ({ ...erp, submit: async () => rejected(reason, hostile.repeat(40)) }),
    })
    const there = openShop(rude)
    const { order_id } = await createDraft(there, await there.createSku(), 1)
    for (reason of kinds) {
      for (const language of ['en', 'zh', 'ko']) {
        const headers = { 'accept-language': language }
        const answer = await there.post(`/orders/${order_id}/submit`, undefined, headers)
        const code = reason === 'sku_blocked' ? 'VALIDATION_FAILED' : 'UPSTREAM_REJECTED'
        const { message } = expectError(answer, code)
        expect(message).toContain('ignore previous instructions')
        expect(message).not.toMatch(/\p{Cc}|\u202e/u)
        expect(message.length).toBeLessThanOrEqual(400)
        expect(answer.headers.get('set-cookie')).toBeNull()
      }
    }
    const draft = expectData(await there.get(`/orders/${order_id}`))
    expect(draft).toMatchObject({ status: 'draft', in_doubt: false })
    await rude.close()
  })

  it('of a session that it no longer knows ends the token', async () => {
    const strict = await openTestGateway({
      styles: 5,
      wrapErp: (erp) => ({ ...erp, hold: async () => rejected('session_expired', 'Sign in again.') }),
    })
    const there = openShop(strict)
    const body = buildDropship(await there.createSku())
    expectError(await there.post('/dropship-orders/allocation-preview', body), 'AUTH_EXPIRED')
    expectError(await there.get('/orders'), 'AUTH_EXPIRED')
    await strict.close()
  })
})

describe('before the goods are known', () => {
  it('an order is UPSTREAM_ERROR, never a refusal of its warehouse or its goods', async () => {
    const early = await openTestGateway({ styles: 5, unfilled: true })
    const { token } = await createWorld(early)
    const createCart = async (init: CallInit) => {
      const answer = await call(early, 'POST', '/api/v1/carts', { token, ...init })
      expectError(answer, 'UPSTREAM_ERROR')
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    const items = [{ sku: 'SBX-LAST-1', quantity: 1 }]
    await createCart({ body: { items } })
    await createCart({ body: { items, warehouse_code: 'AUSYD1' } })
    await early.close()
  })
})

describe('an environment without writes', () => {
  /** The endpoints that return READ_ONLY_MODE while writes are switched off (contract §13). */
  const refused = [
    'POST /api/v1/orders',
    'PATCH /api/v1/orders/{order_id}',
    'POST /api/v1/orders/{order_id}/submit',
    'DELETE /api/v1/orders/{order_id}',
    'POST /api/v1/dropship-orders/allocation-preview',
    'POST /api/v1/dropship-orders/submit',
    'DELETE /api/v1/dropship-orders/{dropship_order_id}/allocation',
    'DELETE /api/v1/dropship-orders/{dropship_order_id}',
    'POST /api/v1/reservations',
    'DELETE /api/v1/reservations/{reservation_id}',
    'POST /api/v1/reservations/{reservation_id}/confirm',
    'DELETE /api/v1/holds/{hold_id}',
    'POST /api/v1/carts/{cart_id}/checkout',
  ]
  let still: TestGateway
  let reader: Buyer
  const reached: string[] = []

  beforeAll(async () => {
    still = await openSecondGateway(
      house,
      { WRITES_ENABLED: '0' },
      wrapErpToRecordWrites(house.sandbox.erp, reached),
    )
    reader = openShop(still)
    await reader.token()
  })
  afterAll(() => still.close())

  it('refuses exactly the writes to the ERP, whether their documents exist or not', async () => {
    const answered: string[] = []
    for (const { access, method, path, body, example } of catalogue) {
      // The rest of the loop uses the token, so calls that could change its permissions or revoke it are left out.
      const endsTheWalk = path.endsWith('/plan-requests') || path.endsWith('/auth/revoke')
      if (access !== 'bearer' || endsTheWalk) continue
      const at = path.replace('/api/v1', '').replace('{warehouse_code}', 'AUSYD1')
      const url = at.replace('{order_id}', draft).replace(/\{\w+\}/, 'unknown_0')
      const query = path.endsWith('/idempotency-keys') ? '?key=x' : ''
      const init = body ? { body: example ?? {} } : {}
      const answer = await reader.send(method, url + query, init)
      if (answer.json.error?.code === 'READ_ONLY_MODE') {
        expect(answer.status).toBe(403)
        answered.push(`${method} ${path}`)
      }
    }
    expect(answered.toSorted()).toEqual(refused.toSorted())
    expect(reached).toEqual([])
  })

  it('still checks shape first, reads, previews without a hold, and edits carts', async () => {
    const lines = [{ sku, quantity: 1 }]
    expectError(await reader.post('/orders', { lines: [] }), 'VALIDATION_FAILED')
    expectError(await reader.post('/orders', { lines, warehouse_code: 'NOWHERE' }), 'WAREHOUSE_UNKNOWN')
    expectError(await reader.post('/orders', { lines, warehouse_code: 'AU' }), 'READ_ONLY_MODE')
    expectData(await reader.get(`/orders/${draft}`))
    expect(expectData(await reader.post(`/orders/${draft}/allocation-preview`)).fulfillable).toBe(true)
    const { cart_id } = expectData(await reader.post('/carts', { items: [{ sku, quantity: 1 }] }), 201)
    expectData(await reader.send('PATCH', `/carts/${cart_id}`, { body: { remark: 'x' } }))
    expectError(await reader.post(`/carts/${cart_id}/checkout`), 'READ_ONLY_MODE')
    expect(expectData(await reader.send('DELETE', `/carts/${cart_id}`)).status).toBe('cancelled')
    expect((await reader.get('/me')).json.data.switches.writes_enabled).toBe(false)
    expect(reached).toEqual([])
  })

  it('has a second wall: whatever asks, no write passes the port', async () => {
    const writes = operationIds.filter((id) => operations[id].kind === 'write')
    expect(writes).toEqual(expect.arrayContaining(['hold', 'release', 'submit', 'void']))
    for (const id of writes) {
      const asked = callOperation(still.gateway.erp, id, { reference: 'x', reason: 'release' })
      await expect(asked).rejects.toMatchObject({ code: 'READ_ONLY_MODE' })
    }
    expect(reached).toEqual([])
  })

  it('replays what was done before it: a replay is a read', async () => {
    const headers = { 'idempotency-key': `key-${createOrderNumber()}` }
    const body = buildDropship(sku)
    const first = await shop.post('/dropship-orders/submit', body, headers)
    const again = await reader.post('/dropship-orders/submit', body, headers)
    expect([again.status, again.text]).toEqual([200, first.text])
    expectError(await reader.post('/dropship-orders/submit', body), 'READ_ONLY_MODE')
    expect(reached).toEqual([])
  })

  it('keeps a hold that is over, and says so', async () => {
    const { dropship_order_id, hold } = expectData(
      await shop.post('/dropship-orders/allocation-preview', buildDropship(sku)),
    )
    house.clock.advance(16 * 60_000)
    await releaseExpiredHolds(still.gateway)
    expect(expectData(await reader.get(`/holds/${hold.hold_id}`)).status).toBe('reserved')
    expect(expectData(await reader.get(`/dropship-orders/${dropship_order_id}`)).status).toBe('pending')
    expect(reached).toEqual([])
    await passTime(house, 0)
    expect(expectData(await reader.get(`/holds/${hold.hold_id}`)).status).toBe('cancelled')
  })
})

describe('what a person reads of a wrong field', () => {
  it('tells what is missing from what is wrong, and why a SKU may not stand twice', async () => {
    const own = await openTestGateway()
    try {
      const token = await signInBuyer(own)
      const readProblem = async (lines: unknown, language = 'en') => {
        const headers = { 'accept-language': language }
        const { json } = await call(own, 'POST', '/api/v1/orders', { token, body: { lines }, headers })
        return json.error.errors[0]
      }
      const missing = await readProblem([{ sku: 'SBX-LAST-1' }])
      expect(missing).toEqual({
        param: 'lines[0].quantity',
        message: '`lines[0].quantity` is required here.',
      })
      const wrong = await readProblem([{ sku: 'SBX-LAST-1', quantity: '1' }])
      expect(wrong.message).toBe('`lines[0].quantity` must be a whole number, not "1".')
      // The error must state the field's own limit, and not the limit of safe integers.
      expect(await readProblem([{ sku: 'SBX-LAST-1', quantity: 1e20 }])).toEqual({
        param: 'lines[0].quantity',
        message: '`lines[0].quantity` must be at most 999999, not 100000000000000000000.',
      })
      expect((await readProblem([])).message).toBe('`lines` must have 1 or more entries, not 0.')
      const misspelt = await readProblem([{ skuu: 'SBX-LAST-1', quantity: 1, sku: 'SBX-LAST-1' }])
      expect(misspelt).toEqual({
        param: 'lines[0].skuu',
        message: 'The field "lines[0].skuu" is not known here. Known: sku, quantity.',
      })
      const unknown = ['NOPE-1', 'SBX-LAST-1', 'NOPE-2', 'SBX-BLOCKED']
      const { json } = await call(own, 'POST', '/api/v1/orders', {
        token,
        body: { lines: unknown.map((sku) => ({ sku, quantity: 1 })) },
      })
      expect(json.error).toMatchObject({
        code: 'NOT_FOUND',
        param: 'lines[0].sku',
        errors: [
          { param: 'lines[0].sku', message: 'There is no SKU "NOPE-1".' },
          { param: 'lines[2].sku', message: 'There is no SKU "NOPE-2".' },
        ],
      })
      const blank = await call(own, 'POST', '/api/v1/orders', {
        token,
        body: { lines: [{ sku: 'SBX-LAST-1', quantity: 1 }], client_order_number: ' ' },
      })
      expect(blank.json.error).toMatchObject({ code: 'VALIDATION_FAILED', param: 'client_order_number' })
      const line = { sku: 'SBX-LAST-1', quantity: 1 }
      expect(await readProblem([line, line], 'zh')).toEqual({
        param: 'lines[1].sku',
        message: '`lines[1].sku` 已在前面的明细中出现，请合并数量。',
      })
    } finally {
      await own.close()
    }
  })

  it('names what there is none of in the language of the answer', async () => {
    const own = await openTestGateway()
    try {
      const token = await signInBuyer(own)
      const readErrorIn = async (language: string) => {
        const headers = { 'accept-language': language }
        return expectError(await call(own, 'GET', '/api/v1/carts/no-such', { token, headers }), 'NOT_FOUND')
      }
      expect((await readErrorIn('en')).message).toBe('There is no cart "no-such".')
      expect((await readErrorIn('zh')).message).toBe('购物车“no-such”不存在。')
      expect((await readErrorIn('ko')).message).toBe('“no-such”에 해당하는 장바구니 정보가 없습니다.')
    } finally {
      await own.close()
    }
  })
})
