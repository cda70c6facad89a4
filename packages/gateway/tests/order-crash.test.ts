/**
 * The process crashes at each listed point of a submit. A crash is simulated by an error that nothing handles: locks
 * are released, and uncommitted work is lost. Afterwards the order is at the ERP either exactly once, or not at all and
 * never reported as placed. A retry with the same key completes the work.
 */

import { type Erp, UnknownOutcome } from '@trade-gateway/connector'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Gateway } from '../src/gateway.ts'
import { releaseExpiredHolds } from '../src/holds/expire.ts'
import { sumAvailable } from '../src/stock/available.ts'
import type { Topic } from '../src/store/store.ts'
import { settleAll } from '../src/writes/settle.ts'
import { writes } from '../src/writes.ts'
import { buyers, call, openTestGateway, signInBuyer, type TestGateway } from './harness.ts'

type Point =
  | 'before the intent'
  | 'after the intent'
  | 'in the middle of sending'
  | 'after the ERP has committed'
  | 'before the result is committed'
  | 'before the answer'

class Crash extends Error {}

const points: readonly { readonly point: Point; readonly reaches: boolean }[] = [
  { point: 'before the intent', reaches: false },
  { point: 'after the intent', reaches: false },
  { point: 'in the middle of sending', reaches: false },
  { point: 'after the ERP has committed', reaches: true },
  { point: 'before the result is committed', reaches: true },
  { point: 'before the answer', reaches: true },
]

let house: TestGateway
let token: string
let shipping: object
let crashAt: Point | undefined
let isAway = false
/** Whether the ERP was called since the crash was planned. */
let isAsked = false

function crashIfPlanned(point: Point) {
  if (crashAt !== point) return
  crashAt = undefined
  throw new Crash(point)
}

function wrapCrashingErp(erp: Erp): Erp {
  return {
    ...erp,
    async submit(input, options) {
      isAsked = true
      crashIfPlanned('after the intent')
      if (crashAt === 'in the middle of sending') {
        crashAt = undefined
        throw new UnknownOutcome('unreachable', 'The connection broke while the request was written.')
      }
      const answer = await erp.submit(input, options)
      crashIfPlanned('after the ERP has committed')
      return answer
    },
    async lookup(input, options) {
      if (isAway) throw new UnknownOutcome('unreachable', 'The ERP is away.', { sent: false })
      return erp.lookup(input, options)
    },
    async settle(input, options) {
      if (isAway) throw new UnknownOutcome('unreachable', 'The ERP is away.', { sent: false })
      return erp.settle(input, options)
    },
  }
}

/**
 * Wraps the store so that it crashes at the planned point. A submit commits its intent and then its result, publishes
 * the stock figures meanwhile, and wakes the worker that numbers events.
 */
function wrapCrashingStore(gateway: Gateway) {
  const { store } = gateway
  const { executeAtOnce } = store
  const transaction = store.db.transaction.bind(store.db)
  Object.assign(store, {
    executeAtOnce: (...statements: Parameters<typeof executeAtOnce>) => {
      crashIfPlanned('before the intent')
      return executeAtOnce(...statements)
    },
  })
  Object.assign(store.db, {
    transaction: () => {
      if (isAsked) crashIfPlanned('before the result is committed')
      return transaction()
    },
  })
  const nudge = gateway.nudge.bind(gateway)
  Object.assign(gateway, {
    nudge: (topic: Topic) => {
      // The stock figures, whose own nudge may come before the commit, never fail a submit.
      if (topic === 'events') crashIfPlanned('before the answer')
      nudge(topic)
    },
  })
}

beforeAll(async () => {
  house = await openTestGateway({
    wrapErp: wrapCrashingErp,
    capabilities: { max_request_ms: 5_000 },
    journey: { handoverMs: Number.POSITIVE_INFINITY, shippingMs: Number.POSITIVE_INFINITY },
  })
  token = await signInBuyer(house, buyers[0])
  wrapCrashingStore(house.gateway)
  const methods = await call(house, 'GET', '/api/v1/shipping-methods', { token })
  const addresses = await call(house, 'GET', '/api/v1/addresses', { token })
  const method = methods.json.data.find((each: { requires_address: boolean }) => each.requires_address)
  shipping = {
    shipping_method_id: method.shipping_method_id,
    address_id: addresses.json.data[0].address_id,
  }
})
afterAll(() => house.close())

function listReferencesAtErp(): string[] {
  const { documents } = house.sandbox.steering.listDocuments(0, 1000)
  return documents.filter(({ kind }) => kind === 'order').map(({ reference }) => reference)
}

async function settleOpenWrites() {
  for (let turn = 0; turn < 4; turn++) {
    await settleAll(house.gateway, writes)
    await releaseExpiredHolds(house.gateway)
    house.clock.advance(6_000)
  }
}

const createOrderDraft = async () => {
  const body = { warehouse_code: 'AUSYD1', lines: [{ sku: findStockedSku(), quantity: 1 }], shipping }
  const { json } = await call(house, 'POST', '/api/v1/orders', { token, body })
  return String(json.data.order_id)
}
const submit = (id: string, key?: string) =>
  call(house, 'POST', `/api/v1/orders/${id}/submit`, {
    token,
    body: {},
    headers: key === undefined ? {} : { 'idempotency-key': key },
  })

describe.each(points)('a crash $point', ({ point, reaches }) => {
  /** Submits an order and crashes at `point`. Checks that the client is not told that the order was refused. */
  const submitAndCrash = async (id: string, key?: string) => {
    isAsked = false
    crashAt = point
    const { status } = await submit(id, key)
    expect(crashAt, 'the crash happened').toBeUndefined()
    expect(status).toBeGreaterThanOrEqual(500)
  }

  it('is finished by the same key: one order, told as done', async () => {
    const id = await createOrderDraft()
    const before = listReferencesAtErp().length
    await submitAndCrash(id, buildKey(point))
    let answer = await submit(id, buildKey(point))
    for (let tries = 0; answer.status === 409 && tries < 5; tries++) {
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      house.clock.advance(6_000)
      answer = await submit(id, buildKey(point))
    }
    expect(answer.json.data).toMatchObject({ order_id: id, status: 'confirmed', in_doubt: false })
    expect(listReferencesAtErp().length).toBe(before + 1)
    expect((await submit(id, buildKey(point))).headers.get('idempotent-replayed')).toBe('true')
  })

  it(`is settled without a retry: ${reaches ? 'the order is confirmed' : 'the draft is as before'}`, async () => {
    const id = await createOrderDraft()
    const before = listReferencesAtErp().length
    await submitAndCrash(id)
    await settleOpenWrites()
    const { json } = await call(house, 'GET', `/api/v1/orders/${id}`, { token })
    expect(json.data).toMatchObject({ status: reaches ? 'confirmed' : 'draft', in_doubt: false })
    expect(listReferencesAtErp().length).toBe(before + (reaches ? 1 : 0))
  })
})

const buildKey = (point: Point) => `key-${point.replaceAll(' ', '-')}`

/** Finds a SKU that the account may order and that is in stock in AUSYD1. */
function findStockedSku(): string {
  const { mirror } = house.gateway
  const skus = mirror.stock.snapshot('AUSYD1')?.blocks.flatMap((block) => [...block.skus]) ?? []
  const sku = skus.find(
    (each) =>
      !each.startsWith('SBX-') &&
      mirror.reference.maySell(buyers[0].customer_code, each) &&
      sumAvailable(house.gateway, ['AUSYD1'], each).quantity_available > 0,
  )
  if (sku === undefined) throw new Error('There is nothing to order.')
  return sku
}

describe('a retry while the ERP cannot be asked', () => {
  it('is told to come back, and then finishes the work', async () => {
    const id = await createOrderDraft()
    crashAt = 'after the ERP has committed'
    expect((await submit(id, 'away')).status).toBeGreaterThanOrEqual(500)
    isAway = true
    const early = await submit(id, 'away')
    expect(early.json.error.code).toBe('IDEMPOTENCY_IN_PROGRESS')
    expect(Number(early.headers.get('retry-after'))).toBeGreaterThan(0)
    isAway = false
    expect((await submit(id, 'away')).json.data).toMatchObject({ order_id: id, status: 'confirmed' })
  })
})
