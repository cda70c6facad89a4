/**
 * Two gateway processes, one of which has lost its locks because its connection broke or it was suspended. `holder` has
 * the locks. `loser` continues as if it had them, and notices the loss at a chosen moment or never.
 */

import type { Erp } from '@trade-gateway/connector'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { releaseExpiredHolds } from '../src/holds/expire.ts'
import { buyers, type CallResult, call, openTestGateway, type TestGateway } from './harness.ts'
import { Gate, type GatewayWithoutLocks, type Moment, openGatewayWithoutLocks } from './losing-process.ts'
import {
  type Buyer,
  buildDropship,
  countHeldAtErp,
  createDraft,
  createOrderNumber,
  expectData,
  expectError,
  harbourShipping,
  listErpDocuments,
  openShop,
  setStock,
} from './trade.ts'

const never = { handoverMs: Number.POSITIVE_INFINITY, shippingMs: Number.POSITIVE_INFINITY }
const minute = 60_000

interface Processes {
  readonly house: TestGateway
  readonly holder: Buyer
  readonly loser: Buyer
  readonly losing: GatewayWithoutLocks
  /** The gate at which a submit, a hold or a release of the holder waits before it reaches the ERP. */
  readonly submitting: Gate
}

async function openProcesses(serialise: 'nothing' | 'everything'): Promise<Processes> {
  const submitting = new Gate()
  const wrapErp = (erp: Erp): Erp => ({
    ...erp,
    submit: (input, options) => submitting.waitIfArmed().then(() => erp.submit(input, options)),
    hold: (input, options) => submitting.waitIfArmed().then(() => erp.hold(input, options)),
    release: (input, options) => submitting.waitIfArmed().then(() => erp.release(input, options)),
  })
  const house = await openTestGateway({ styles: 60, journey: never, capabilities: { serialise }, wrapErp })
  const holder = openShop(house)
  await holder.token()
  const losing = await openGatewayWithoutLocks(house)
  const loser = { ...openShop(losing.house), sku: holder.createSku, available: holder.readAvailable }
  await loser.token()
  return { house, holder, loser, losing, submitting }
}

interface Request {
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

/** A kind of write to the ERP: how it is prepared, what is sent, and which path returns its document. */
interface Kind {
  readonly name: string
  prepare(shop: Buyer): Promise<Request & { readonly reads?: string }>
}

const kinds: readonly Kind[] = [
  {
    name: 'the submit of an order',
    async prepare(shop) {
      const { order_id } = await createDraft(shop, await shop.createSku())
      return { method: 'POST', path: `/orders/${order_id}/submit`, body: {}, reads: `/orders/${order_id}` }
    },
  },
  {
    name: 'the void of an order',
    async prepare(shop) {
      const { order_id } = await createDraft(shop, await shop.createSku())
      expectData(await shop.post(`/orders/${order_id}/submit`))
      return { method: 'DELETE', path: `/orders/${order_id}`, reads: `/orders/${order_id}` }
    },
  },
  {
    name: 'the submit of a drop-ship order',
    prepare: async (shop) => ({
      method: 'POST',
      path: '/dropship-orders/submit',
      body: buildDropship(await shop.createSku()),
    }),
  },
  {
    name: 'the submit of a preview',
    async prepare(shop) {
      const body = buildDropship(await shop.createSku())
      const { dropship_order_id: id } = expectData(
        await shop.post('/dropship-orders/allocation-preview', body),
      )
      return { method: 'POST', path: '/dropship-orders/submit', body, reads: `/dropship-orders/${id}` }
    },
  },
  {
    name: 'a preview',
    prepare: async (shop) => ({
      method: 'POST',
      path: '/dropship-orders/allocation-preview',
      body: buildDropship(await shop.createSku()),
    }),
  },
  {
    name: 'the release of a preview',
    async prepare(shop) {
      const body = buildDropship(await shop.createSku())
      const { dropship_order_id: id } = expectData(
        await shop.post('/dropship-orders/allocation-preview', body),
      )
      const reads = `/dropship-orders/${id}`
      return { method: 'DELETE', path: `${reads}/allocation`, reads }
    },
  },
  {
    name: 'a reservation',
    prepare: async (shop) => ({
      method: 'POST',
      path: '/reservations',
      body: { warehouse_code: 'AUSYD1', lines: [{ sku: await shop.createSku(), quantity: 1 }] },
    }),
  },
  {
    name: 'the end of a reservation',
    async prepare(shop) {
      const reads = await createReservation(shop)
      return { method: 'DELETE', path: reads, reads }
    },
  },
  {
    name: 'the release of a hold',
    async prepare(shop) {
      const body = buildDropship(await shop.createSku())
      const { hold } = expectData(await shop.post('/dropship-orders/allocation-preview', body))
      return { method: 'DELETE', path: `/holds/${hold.hold_id}`, reads: `/holds/${hold.hold_id}` }
    },
  },
]

async function createReservation(shop: Buyer): Promise<string> {
  const body = { warehouse_code: 'AUSYD1', lines: [{ sku: await shop.createSku(), quantity: 1 }] }
  return `/reservations/${expectData(await shop.post('/reservations', body), 201).reservation_id}`
}

function sendTo(shop: Buyer, { method, path, body }: Request, key?: string): Promise<CallResult> {
  return shop.send(method, path, {
    ...(body === undefined ? {} : { body }),
    headers: key === undefined ? {} : { 'idempotency-key': key },
  })
}

function listIntents({ gateway }: TestGateway) {
  return gateway.store.db.selectFrom('intents').selectAll().execute()
}

describe.each(['nothing', 'everything'] as const)(
  'a process that loses its locks (serialise: %s)',
  (serialise) => {
    let at: Processes
    beforeAll(async () => {
      at = await openProcesses(serialise)
    })
    beforeEach(() => {
      at.losing.notice = 'never'
    })
    afterAll(async () => {
      await at.losing.house.close()
      await at.house.close()
    })

    const moments: readonly Moment[] =
      serialise === 'nothing'
        ? ['after the lock', 'after the first lock', 'after the intent']
        : ['after the lock', 'after the first lock', 'in the queue', 'after the queue', 'after the intent']

    it.each(moments.flatMap((moment) => kinds.map((kind) => ({ ...kind, moment }))))(
      'begins no send after it: $name, lost $moment',
      async ({ prepare, moment }) => {
        const { house, holder, loser, losing } = at
        const { reads, ...request } = await prepare(holder)
        const before = reads === undefined ? undefined : expectData(await holder.get(reads))
        losing.writes.splice(0)
        losing.notice = moment
        // Nothing was sent, which is certain, and the ERP is not to blame.
        expectError(await sendTo(loser, request), 'INTERNAL', {
          reason: 'storage_unavailable',
          retryable: true,
        })
        losing.notice = 'never'
        expect(losing.writes).toEqual([])
        expect(await listIntents(house)).toEqual([])
        if (reads !== undefined) {
          const { updated_at: _updated, ...after } = expectData(await holder.get(reads))
          expect(before).toMatchObject(after)
        }
        // The process with the lock can do the work.
        expect((await sendTo(holder, request)).status).toBeLessThan(300)
      },
    )

    it.each(moments)('releases no expired hold after it, lost %s', async (moment) => {
      const { house, holder, losing } = at
      const sku = await holder.createSku({ AUSYD1: 1 })
      expectData(await holder.post('/dropship-orders/allocation-preview', buildDropship(sku)))
      house.clock.advance(16 * minute)
      losing.writes.splice(0)
      losing.notice = moment
      await releaseExpiredHolds(losing.house.gateway)
      losing.notice = 'never'
      expect(losing.writes).toEqual([])
      expect(countHeldAtErp(house, sku)).toBe(1)
      await releaseExpiredHolds(house.gateway)
      expect(countHeldAtErp(house, sku)).toBe(0)
    })
  },
)

describe('a document that another process changes meanwhile', () => {
  let at: Processes
  beforeAll(async () => {
    at = await openProcesses('nothing')
  })
  afterAll(async () => {
    await at.losing.house.close()
    await at.house.close()
  })

  /**
   * Lets the holder do its work after the loser has read the document and before the loser commits. Then the loser
   * continues.
   */
  async function overtake(
    request: Request,
    meanwhile: () => Promise<unknown>,
    key?: string,
  ): Promise<CallResult> {
    const { loser, losing } = at
    losing.beforeCommit.arm()
    const late = sendTo(loser, request, key)
    await losing.beforeCommit.arrived
    await meanwhile()
    losing.beforeCommit.open()
    return late
  }

  const changes: readonly (readonly [string, (path: string) => Request])[] = [
    ['a change', (path) => ({ method: 'PATCH', path, body: { remark: 'too late' } })],
    ['a submit', (path) => ({ method: 'POST', path: `${path}/submit`, body: { remark: 'too late' } })],
    ['a void', (path) => ({ method: 'DELETE', path })],
  ]

  it.each(changes)('is not overwritten by %s, once it is submitted', async (_name, requestOf) => {
    const { house, holder } = at
    const number = createOrderNumber()
    const { order_id } = await createDraft(holder, await holder.createSku(), 2, {
      client_order_number: number,
    })
    const path = `/orders/${order_id}`
    let submitted: unknown
    const late = await overtake(requestOf(path), async () => {
      expectData(await holder.post(`${path}/submit`))
      submitted = expectData(await holder.get(path))
    })
    expectError(late, 'UPSTREAM_TIMEOUT', { reason: 'upstream_unknown' })
    expect(expectData(await holder.get(path))).toEqual(submitted)
    expect(await listIntents(house)).toEqual([])
    expect(listErpDocuments(house, number)).toHaveLength(1)
  })

  it.each(changes)('is not overwritten by %s, while it is being submitted', async (_name, requestOf) => {
    const { house, holder, submitting } = at
    const number = createOrderNumber()
    const { order_id } = await createDraft(holder, await holder.createSku(), 2, {
      client_order_number: number,
    })
    const path = `/orders/${order_id}`
    let underWay: Promise<CallResult> | undefined
    const late = await overtake(requestOf(path), async () => {
      submitting.arm()
      underWay = holder.post(`${path}/submit`)
      await submitting.arrived
    })
    expectError(late, 'UPSTREAM_TIMEOUT', { reason: 'upstream_unknown' })
    expect(expectData(await holder.get(path))).toMatchObject({ status: 'draft', in_doubt: true })
    submitting.open()
    expect(expectData((await underWay) ?? late)).toMatchObject({ status: 'confirmed' })
    const stored = expectData(await holder.get(path))
    expect(stored).toMatchObject({ status: 'confirmed', remark: null, in_doubt: false })
    expect(listErpDocuments(house, number)).toHaveLength(1)
  })

  it('is one order, though two processes submit the same new drop-ship order', async () => {
    const { house, holder } = at
    const body = buildDropship(await holder.createSku())
    const late = await overtake({ method: 'POST', path: '/dropship-orders/submit', body }, async () =>
      expectData(await holder.post('/dropship-orders/submit', body)),
    )
    // Both processes derive the same reference, so the database refuses the second row.
    expectError(late, 'UPSTREAM_TIMEOUT', { reason: 'upstream_unknown' })
    expect(listErpDocuments(house, body.client_order_number)).toHaveLength(1)
  })

  it('is not cancelled as an empty preview, once it holds stock', async () => {
    const { holder, house } = at
    const sku = await holder.createSku({ AUSYD1: 0 })
    const body = buildDropship(sku)
    const preview = () => holder.post('/dropship-orders/allocation-preview', body)
    const { dropship_order_id: id, hold } = expectData(await preview())
    expect(hold).toBeNull()
    const path = `/dropship-orders/${id}`
    const late = await overtake({ method: 'DELETE', path: `${path}/allocation` }, async () => {
      setStock(house, 'AUSYD1', sku, 1)
      expect(expectData(await preview()).hold).not.toBeNull()
    })
    expectError(late, 'UPSTREAM_TIMEOUT', { reason: 'upstream_unknown' })
    expect(expectData(await holder.get(path)).status).toBe('pending')
    expect(expectData(await holder.post('/dropship-orders/submit', body)).dropship_order_id).toBe(id)
  })

  it('is submitted once, though two processes submit the same preview', async () => {
    const { house, holder, losing } = at
    const body = buildDropship(await holder.createSku())
    const { dropship_order_id: id } = expectData(
      await holder.post('/dropship-orders/allocation-preview', body),
    )
    let submitted: unknown
    losing.writes.splice(0)
    const request = { method: 'POST', path: '/dropship-orders/submit', body }
    const late = await overtake(request, async () => {
      submitted = expectData(await holder.post('/dropship-orders/submit', body))
    })
    expectError(late, 'UPSTREAM_TIMEOUT', { reason: 'upstream_unknown' })
    expect(losing.writes).toEqual([])
    expect(expectData(await holder.get(`/dropship-orders/${id}`))).toEqual(submitted)
    expect(
      listErpDocuments(house, body.client_order_number).filter(({ kind }) => kind === 'order'),
    ).toHaveLength(1)
  })

  it('is one draft, though two processes confirm its reservation', async () => {
    const { house, holder } = at
    const path = await createReservation(holder)
    const late = await overtake({ method: 'POST', path: `${path}/confirm` }, async () =>
      expectData(await holder.post(`${path}/confirm`)),
    )
    expectError(late, 'UPSTREAM_TIMEOUT', { reason: 'upstream_unknown' })
    const { order_id } = expectData(await holder.get(path))
    const { hold_id } = await readOrderRow(house, order_id)
    const drafts = await house.gateway.store.db
      .selectFrom('orders')
      .select('order_id')
      .where('hold_id', '=', hold_id)
      .execute()
    expect(drafts).toEqual([{ order_id }])
  })

  it('is no draft, while another process cancels its reservation', async () => {
    const { holder, submitting } = at
    const path = await createReservation(holder)
    let underWay: Promise<CallResult> | undefined
    const late = await overtake({ method: 'POST', path: `${path}/confirm` }, async () => {
      submitting.arm()
      underWay = holder.send('DELETE', path)
      await submitting.arrived
    })
    expectError(late, 'UPSTREAM_TIMEOUT', { reason: 'upstream_unknown' })
    submitting.open()
    expect(expectData((await underWay) ?? late)).toMatchObject({ status: 'cancelled', order_id: null })
    expect(expectData(await holder.get(path))).toMatchObject({ status: 'cancelled', order_id: null })
  })

  it('is one draft, though two processes check out its cart', async () => {
    const { house, holder } = at
    const number = createOrderNumber()
    const body = { client_order_number: number, items: [{ sku: await holder.createSku(), quantity: 1 }] }
    const { cart_id } = expectData(await holder.post('/carts', body), 201)
    const path = `/carts/${cart_id}`
    const late = await overtake({ method: 'POST', path: `${path}/checkout` }, async () =>
      expectData(await holder.post(`${path}/checkout`)),
    )
    expectError(late, 'UPSTREAM_TIMEOUT', { reason: 'upstream_unknown' })
    expect(await countOrdersByNumber(house, number)).toBe(1)
  })
})

describe('an Idempotency-Key that another process uses meanwhile', () => {
  let at: Processes
  beforeAll(async () => {
    at = await openProcesses('nothing')
  })
  beforeEach(() => {
    at.losing.notice = 'never'
  })
  afterAll(async () => {
    await at.losing.house.close()
    await at.house.close()
  })

  const createDraftBody = async () => ({
    warehouse_code: 'AUSYD1',
    lines: [{ sku: await at.holder.createSku(), quantity: 1 }],
    shipping: harbourShipping,
    client_order_number: createOrderNumber(),
  })
  const createReservationBody = async () => ({
    warehouse_code: 'AUSYD1',
    lines: [{ sku: await at.holder.createSku(), quantity: 1 }],
  })
  const expectReplay = async (request: Request, key: string, first: CallResult) => {
    const again = await sendTo(at.holder, request, key)
    expect([again.status, again.text]).toEqual([first.status, first.text])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
  }

  it('makes one draft, and keeps the response of whoever has the lock', async () => {
    const { house, holder, loser, losing } = at
    const body = await createDraftBody()
    const request = { method: 'POST', path: '/orders', body }
    losing.beforeCommit.arm()
    const late = sendTo(loser, request, 'one-draft')
    await losing.beforeCommit.arrived
    const first = await sendTo(holder, request, 'one-draft')
    expectData(first, 201)
    losing.beforeCommit.open()
    expectError(await late, 'IDEMPOTENCY_IN_PROGRESS')
    expect(await countOrdersByNumber(house, body.client_order_number)).toBe(1)
    await expectReplay(request, 'one-draft', first)
  })

  it('holds stock once, and keeps the response of whoever has the lock', async () => {
    const { house, holder, loser, losing } = at
    const body = await createReservationBody()
    const request = { method: 'POST', path: '/reservations', body }
    losing.writes.splice(0)
    losing.beforeCommit.arm()
    const late = sendTo(loser, request, 'one-hold')
    await losing.beforeCommit.arrived
    const first = await sendTo(holder, request, 'one-hold')
    expectData(first, 201)
    losing.beforeCommit.open()
    expectError(await late, 'IDEMPOTENCY_IN_PROGRESS')
    expect(losing.writes).toEqual([])
    expect(await listIntents(house)).toEqual([])
    expect(countHeldAtErp(house, body.lines[0]?.sku ?? '')).toBe(1)
    await expectReplay(request, 'one-hold', first)
  })

  it('sends nothing while the write of whoever has the lock is under way', async () => {
    const { house, holder, loser, losing, submitting } = at
    const body = await createReservationBody()
    const request = { method: 'POST', path: '/reservations', body }
    losing.writes.splice(0)
    losing.beforeCommit.arm()
    const late = sendTo(loser, request, 'under-way')
    await losing.beforeCommit.arrived
    submitting.arm()
    const first = sendTo(holder, request, 'under-way')
    await submitting.arrived
    losing.beforeCommit.open()
    expectError(await late, 'IDEMPOTENCY_IN_PROGRESS')
    expect(losing.writes).toEqual([])
    submitting.open()
    expectData(await first, 201)
    expect(countHeldAtErp(house, body.lines[0]?.sku ?? '')).toBe(1)
    await expectReplay(request, 'under-way', await first)
  })

  it('commits nothing under a key whose lock it knows to be lost', async () => {
    const { house, holder, loser, losing } = at
    const draft = await createDraftBody()
    losing.notice = 'after the lock'
    losing.writes.splice(0)
    const requests = [
      { method: 'POST', path: '/orders', body: draft },
      { method: 'POST', path: '/reservations', body: await createReservationBody() },
    ]
    for (const [index, request] of requests.entries()) {
      expectError(await sendTo(loser, request, `known-${index}`), 'IDEMPOTENCY_IN_PROGRESS')
    }
    losing.notice = 'never'
    expect(losing.writes).toEqual([])
    expect(await listIntents(house)).toEqual([])
    expect(await countOrdersByNumber(house, draft.client_order_number)).toBe(0)
    const { json } = await holder.get('/idempotency-keys?key=known-0')
    expect(json.data).toEqual([])
  })

  const outcomes = [
    { outcome: 'a success', known: false },
    { outcome: 'a success', known: true },
    { outcome: 'a refusal', known: false },
    { outcome: 'a refusal', known: true },
  ]
  it.each(outcomes)(
    'is not overwritten by $outcome of whoever lost the lock (noticed: $known)',
    async ({ outcome, known }) => {
      const { holder, loser, losing } = at
      const { order_id } = await createDraft(holder, await holder.createSku())
      const request = { method: 'POST', path: `/orders/${order_id}/allocation-preview`, body: {} }
      const key = `preview-${outcome.replace(' ', '-')}-${known}`
      losing.beforeErp.arm()
      const late = sendTo(loser, request, key)
      await losing.beforeErp.arrived
      const first = await sendTo(holder, request, key)
      expectData(first)
      if (known) losing.noticeLoss()
      if (outcome === 'a refusal') losing.refusal = 'insufficient_balance'
      at.house.clock.advance(1_000)
      losing.beforeErp.open()
      const { status } = await late
      losing.refusal = undefined
      expect(status).toBe(outcome === 'a refusal' ? 422 : 200)
      await expectReplay(request, key, first)
    },
  )
})

describe('a sign-in whose lock was lost', () => {
  let at: Processes
  beforeAll(async () => {
    at = await openProcesses('nothing')
  })
  afterAll(async () => {
    await at.losing.house.close()
    await at.house.close()
  })

  const signIn = (house: TestGateway, password: string) =>
    call(house, 'POST', '/api/v1/auth/token', {
      body: { grant_type: 'password', username: buyers[1].username, password },
    })

  it.each([
    ['a wrong password', 'wrong-password'],
    ['the right one', buyers[1].password],
  ])('tells nothing and counts nothing: %s', async (_name, password) => {
    const { house, losing } = at
    await house.gateway.store.db.deleteFrom('sign_in_guard').execute()
    await openShop(house, buyers[1]).token()
    losing.beforeErp.arm()
    const late = signIn(losing.house, password)
    await losing.beforeErp.arrived
    for (let tries = 0; tries < 4; tries++) expectError(await signIn(house, 'wrong'), 'AUTH_BAD_CREDENTIALS')
    losing.noticeLoss()
    losing.beforeErp.open()
    expectError(await late, 'AUTHZ_UNAVAILABLE')
    // The four failures that the other process recorded still count, so the fifth locks the username.
    expectError(await signIn(house, 'wrong'), 'AUTH_BAD_CREDENTIALS')
    expectError(await signIn(house, buyers[1].password), 'AUTH_LOCKED')
  })
})

async function countOrdersByNumber({ gateway }: TestGateway, client_order_number: string): Promise<number> {
  const rows = await gateway.store.db
    .selectFrom('orders')
    .select('order_id')
    .where('client_order_number', '=', client_order_number)
    .execute()
  return rows.length
}

function readOrderRow({ gateway }: TestGateway, order_id: string) {
  return gateway.store.db
    .selectFrom('orders')
    .selectAll()
    .where('order_id', '=', order_id)
    .executeTakeFirstOrThrow()
}
