/**
 * The settlement of writes by look-ups, on which exactly-once depends. In these tests the ERP receives a write only
 * when the test delivers it, at the latest when the ERP's own time limit ends. The test sets the result of each
 * look-up.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { settleAll } from '../src/writes/settle.ts'
import { maxSendDelayMs } from '../src/writes/timing.ts'
import { writes } from '../src/writes.ts'
import { expectLost, type Found, type Lost, lostSubmits, openSite, type Site } from './late-erp.ts'
import {
  buildDropship,
  countHeldAtErp,
  createDraft,
  createOrderNumber,
  expectData,
  expectError,
  listErpDocuments,
} from './trade.ts'

const maxRequestMs = 20_000
const lookupLagMs = 4_000
const minute = 60_000
/** The time in milliseconds after which a request to the ERP can no longer take effect. */
const silenceMs = maxSendDelayMs + maxRequestMs

/** Opens a site whose ERP can only be asked for a reference: it finishes and fences nothing. */
function openLookedUpSite(lookup: 'strong' | 'eventual'): Promise<Site> {
  const lookup_lag_ms = lookup === 'eventual' ? lookupLagMs : 0
  return openSite({ lookup, lookup_lag_ms, max_request_ms: maxRequestMs, settles: false })
}

/** Who looks the write up at the ERP: the worker, or a retry with the same idempotency key. */
const lookers: readonly (readonly [string, (site: Site, lost: Lost) => Promise<unknown>])[] = [
  ['the worker', ({ house }) => settleAll(house.gateway, writes)],
  ['a retry with its key', (_site, lost) => lost.sendAgain()],
]

const cases = lookers.flatMap(([looker, look]) =>
  lostSubmits.map(([document, lose]) => ({ looker, document, look, lose })),
)

describe.each(['strong', 'eventual'] as const)('a write of unknown outcome, look-ups being %s', (lookup) => {
  let site: Site
  beforeAll(async () => {
    site = await openLookedUpSite(lookup)
  })
  afterAll(() => site.house.close())

  /** The pause in milliseconds between the two look-ups that prove that the write is absent. */
  const pauseMs = lookup === 'eventual' ? lookupLagMs : 1_000
  const isInDoubt = async ({ path }: Lost) => expectData(await site.shop.get(path)).in_doubt

  /**
   * Checks that the order is at the ERP exactly once, that no second request created it, and that its key replays the
   * response.
   */
  const expectOnce = async (lost: Lost, sendsBefore: number) => {
    const replayed = await lost.sendAgain()
    expectData(replayed)
    expect(replayed.headers.get('idempotent-replayed')).toBe('true')
    expect(expectData(await site.shop.get(lost.path)).in_doubt).toBe(false)
    expect(site.erp.sends).toBe(sendsBefore)
    expect(listErpDocuments(site.house, lost.number)).toHaveLength(1)
  }

  it.each(cases)(
    'is not believed absent while a late request can take effect: $document, looked up by $looker',
    async ({ look, lose }) => {
      const { house, erp } = site
      const lost = await lose(site)
      const sends = erp.sends
      const end = house.clock.now() + silenceMs
      // Repeated look-ups find nothing until the last millisecond.
      for (const stepMs of [0, 1_000, maxSendDelayMs, lookupLagMs, lookupLagMs, lookupLagMs, 1_000]) {
        house.clock.advance(stepMs)
        await look(site, lost)
        expect(await isInDoubt(lost), `${end - house.clock.now()} ms before the end`).toBe(true)
      }
      house.clock.set(end - 1)
      await look(site, lost)
      expect(await isInDoubt(lost)).toBe(true)
      await erp.deliver()
      house.clock.advance(lookupLagMs)
      await look(site, lost)
      await expectOnce(lost, sends)
    },
  )

  it.each(cases)(
    'is not believed absent after one look-up: $document, looked up by $looker',
    async ({ look, lose }) => {
      const { house, erp } = site
      const lost = await lose(site)
      const sends = erp.sends
      await erp.deliver()
      const advanceAndLookUp = async (ms: number, state: Found) => {
        house.clock.advance(ms)
        erp.scripted.push(state)
        await look(site, lost)
        expect(erp.scripted, 'it was looked up').toEqual([])
        expect(await isInDoubt(lost)).toBe(true)
      }
      // A look-up does not count while a late request may still arrive.
      await advanceAndLookUp(silenceMs - 1, 'absent')
      // Two look-ups at the same time count as one.
      await advanceAndLookUp(pauseMs, 'absent')
      await advanceAndLookUp(0, 'absent')
      await advanceAndLookUp(pauseMs - 1, 'absent')
      // A look-up that finds the write in progress restarts the count.
      await advanceAndLookUp(1, 'in_progress')
      await advanceAndLookUp(pauseMs, 'absent')
      await look(site, lost)
      await expectOnce(lost, sends)
    },
  )

  it.each(cases)(
    'is believed absent after two look-ups once the silence is over: $document, looked up by $looker',
    async ({ look, lose }) => {
      const { house, erp } = site
      const lost = await lose(site)
      erp.underWay.splice(0)
      house.clock.advance(silenceMs)
      await look(site, lost)
      expect(await isInDoubt(lost)).toBe(true)
      house.clock.advance(pauseMs)
      await look(site, lost)
      expectData(await lost.sendAgain())
      expect(listErpDocuments(house, lost.number)).toHaveLength(1)
    },
  )
})

describe('a submit of an order whose outcome is unknown', () => {
  let site: Site
  beforeAll(async () => {
    site = await openLookedUpSite('strong')
  })
  afterAll(() => site.house.close())

  it.each(lostSubmits)('costs one point for each retry with its key: %s', async (_document, lose) => {
    const lost = await lose(site)
    const early = await lost.sendAgain()
    expectError(early, 'IDEMPOTENCY_IN_PROGRESS')
    expect(early.headers.get('ratelimit-cost')).toBe('1')
    await site.erp.deliver()
    await settleAll(site.house.gateway, writes)
  })

  it('sends nothing while an earlier submit may have taken effect, whatever its key', async () => {
    const { shop, erp, house } = site
    const number = createOrderNumber()
    const { order_id } = await createDraft(shop, await shop.createSku(), 2, { client_order_number: number })
    const submit = (key: string) => shop.post(`/orders/${order_id}/submit`, {}, { 'idempotency-key': key })
    await expectLost(erp, () => submit(`first-${number}`))
    const [sends, before] = [erp.sends, await shop.get(`/orders/${order_id}`)]
    for (const key of ['second', 'third']) {
      expectError(await submit(`${key}-${number}`), 'UPSTREAM_TIMEOUT', { reason: 'upstream_unknown' })
    }
    expectError(await shop.post(`/orders/${order_id}/submit`), 'UPSTREAM_TIMEOUT')
    expect(erp.sends).toBe(sends)
    expect((await shop.get(`/orders/${order_id}`)).json.data).toEqual(before.json.data)
    // The first request arrives after all.
    await erp.deliver()
    await settleAll(house.gateway, writes)
    expect(expectData(await submit(`second-${number}`))).toMatchObject({ order_id, status: 'confirmed' })
    expect(listErpDocuments(house, number)).toHaveLength(1)
  })

  it('is not told that it is confirmed while a void may have taken effect', async () => {
    const { shop, erp, house } = site
    const { order_id } = await createDraft(shop, await shop.createSku())
    const path = `/orders/${order_id}`
    expectData(await shop.post(`${path}/submit`))
    expectError(await erp.whileLate(() => shop.send('DELETE', path)), 'UPSTREAM_TIMEOUT')
    expectError(await shop.post(`${path}/submit`), 'UPSTREAM_TIMEOUT', { reason: 'upstream_unknown' })
    await erp.deliver()
    await settleAll(house.gateway, writes)
    expectError(await shop.post(`${path}/submit`), 'UPSTREAM_REJECTED', { reason: 'already_cancelled' })
  })
})

describe('a preview whose outcome is unknown', () => {
  it('keeps a submit of its number waiting, so that its stock is not taken twice', async () => {
    const { shop, erp, house } = await openLookedUpSite('strong')
    const sku = await shop.createSku()
    const body = buildDropship(sku)
    await expectLost(erp, () => shop.post('/dropship-orders/allocation-preview', body))
    await erp.deliver()
    const submit = () => shop.post('/dropship-orders/submit', body)
    expectError(await submit(), 'UPSTREAM_TIMEOUT', { reason: 'upstream_unknown' })
    expect(countHeldAtErp(house, sku)).toBe(1)
    await settleAll(house.gateway, writes)
    expectData(await submit())
    expect(countHeldAtErp(house, sku)).toBe(1)
    await house.close()
  })
})

describe('a preview whose hold a look-up found', () => {
  it('shows the price and promises none: the ERP said only how long it keeps the stock', async () => {
    const { shop, erp, house } = await openLookedUpSite('strong')
    const body = buildDropship(await shop.createSku(), { quantity: 2 })
    const path = '/dropship-orders/allocation-preview'
    const send = () => shop.post(path, body, { 'idempotency-key': 'lost-preview' })
    await expectLost(erp, send)
    await erp.deliver()
    await settleAll(house.gateway, writes)
    const settled = expectData(await send())
    expect(settled).toMatchObject({ fulfillable: true, price_expires_at: null, hold: { quantity: 2 } })
    const again = expectData(await shop.post(path, body))
    expect(again.costs).toEqual(settled.costs)
    expect(again.price_expires_at).not.toBeNull()
    await house.close()
  })

  it('is not bound by the price of an earlier preview that was released', async () => {
    const { shop, erp, house } = await openLookedUpSite('strong')
    const sku = await shop.createSku()
    const body = buildDropship(sku, { quantity: 2 })
    const path = '/dropship-orders/allocation-preview'
    const first = expectData(await shop.post(path, body))
    expectData(await shop.send('DELETE', `/dropship-orders/${first.dropship_order_id}/allocation`))
    house.sandbox.steering.setPrice({ sku, price_wholesale: 4_321 })
    house.clock.advance(1_000)
    const send = () => shop.post(path, body, { 'idempotency-key': 'lost-after-release' })
    await expectLost(erp, send)
    await erp.deliver()
    await settleAll(house.gateway, writes)
    const { dropship_order_id, costs } = expectData(await send())
    expect(costs.total).not.toBe(first.costs.total)
    const order = expectData(await shop.post('/dropship-orders/submit', { ...body, dropship_order_id }))
    expect(order).toMatchObject({ dropship_order_id, costs: { total: costs.total } })
    await house.close()
  })
})

describe('a drop-ship order whose outcome is unknown', () => {
  it('is a suspected duplicate of no window: the caller waits, and sends no second parcel', async () => {
    const { shop, erp, house } = await openLookedUpSite('strong')
    const body = buildDropship(await shop.createSku())
    const submit = (headers = {}) => shop.post('/dropship-orders/submit', body, headers)
    const keyed = () => submit({ 'idempotency-key': 'first' })
    await expectLost(erp, keyed)
    const expectSuspected = async () => {
      const error = expectError(await submit(), 'DUPLICATE_SUSPECTED')
      expect(error).not.toHaveProperty('window_ends_at')
      expect(error.message).toMatch(/outcome of that submit is not known yet/)
      expect(error.hint).toMatch(/`Idempotency-Key` of the first submit/)
      return error
    }
    await expectSuspected()
    house.clock.advance(30 * 60_000)
    const { duplicate_of } = await expectSuspected()
    const { client_order_number } = body
    expect(duplicate_of).toEqual({
      dropship_order_id: expect.any(String),
      client_order_number,
      submitted_at: null,
    })
    await erp.deliver()
    const order = expectData(await keyed())
    expect(order.dropship_order_id).toBe(duplicate_of.dropship_order_id)
    expect(listErpDocuments(house, client_order_number)).toHaveLength(1)
    await house.close()
  })

  it.each([
    ['of free stock', false],
    ['of a preview', true],
  ])('is a suspected duplicate for a whole window after it became known: %s', async (_name, isPreviewed) => {
    const { shop, erp, house } = await openLookedUpSite('strong')
    const body = buildDropship(await shop.createSku())
    const { client_order_number } = body
    if (isPreviewed) expectData(await shop.post('/dropship-orders/allocation-preview', body))
    // A client that sends its order again without a key, every five minutes.
    const submit = () => shop.post('/dropship-orders/submit', body)
    await expectLost(erp, submit)
    house.clock.advance(5 * minute)
    const { duplicate_of } = expectError(await submit(), 'DUPLICATE_SUSPECTED')
    const { as_of } = (await shop.get(`/dropship-orders?client_order_number=${client_order_number}`)).json
    house.clock.advance(9 * minute)
    await erp.deliver()
    await settleAll(house.gateway, writes)
    const window_ends_at = new Date(house.clock.now() + 10 * minute).toISOString()
    const { dropship_order_id } = duplicate_of
    for (const waitMs of [minute, 9 * minute - 1]) {
      house.clock.advance(waitMs)
      const error = expectError(await submit(), 'DUPLICATE_SUSPECTED', { window_ends_at })
      expect(error.duplicate_of).toMatchObject({ dropship_order_id })
    }
    expect(listErpDocuments(house, client_order_number)).toHaveLength(1)
    // A list that goes on by number since before its outcome was known still has it.
    const page = `/dropship-orders?client_order_number=${client_order_number}&as_of=${as_of}`
    expect((await shop.get(page)).json.data).toMatchObject([{ dropship_order_id, in_doubt: false }])
    house.clock.advance(1)
    expect(expectData(await submit()).dropship_order_id).not.toBe(dropship_order_id)
    await house.close()
  })
})
