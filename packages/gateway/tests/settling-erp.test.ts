/**
 * The settlement of writes with an ERP that finishes or fences what was begun (`settle`). A write that did not happen is
 * undone at once, and what was sent earlier creates nothing when it arrives.
 */

import { UnknownOutcome } from '@trade-gateway/connector'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { GatewayError } from '../src/contract/errors.ts'
import { settleAll } from '../src/writes/settle.ts'
import { maxSendDelayMs } from '../src/writes/timing.ts'
import { writes } from '../src/writes.ts'
import { adminToken, call } from './harness.ts'
import { expectLost, type Lost, lostSubmits, openSite, type Site } from './late-erp.ts'
import { buildDropship, createDraft, expectData, expectError, listErpDocuments } from './trade.ts'

const maxRequestMs = 20_000
const silenceMs = maxSendDelayMs + maxRequestMs

let site: Site
beforeAll(async () => {
  site = await openSite({
    dedupes_by_reference: false,
    lookup: 'strong',
    max_request_ms: maxRequestMs,
    settles: true,
  })
})
afterAll(() => site.house.close())

const settleOnce = () => settleAll(site.house.gateway, writes)
const isInDoubt = async ({ path }: Pick<Lost, 'path'>) => expectData(await site.shop.get(path)).in_doubt

describe.each(lostSubmits)('a lost submit of a %s', (_document, lose) => {
  it('that reached the ERP is found by settling it', async () => {
    const lost = await lose(site)
    await site.erp.deliver()
    await settleOnce()
    expect(await isInDoubt(lost)).toBe(false)
    expect(listErpDocuments(site.house, lost.number)).toHaveLength(1)
  })

  it('that did not reach the ERP is undone at once, and creates nothing when it arrives later', async () => {
    const { house, erp } = site
    const lost = await lose(site)
    await settleOnce()
    await erp.deliver()
    expect(listErpDocuments(house, lost.number)).toEqual([])
    // The client tries again, which the fence of the first reference must not refuse.
    expectData(await lost.sendAgain())
    await erp.deliver()
    expect(listErpDocuments(house, lost.number)).toHaveLength(1)
  })

  it('is undone twice in a row and then placed', async () => {
    const lost = await lose(site)
    await settleOnce()
    await expectLost(site.erp, () => lost.sendAgain())
    await settleOnce()
    await site.erp.deliver()
    expectData(await lost.sendAgain())
    expect(listErpDocuments(site.house, lost.number)).toHaveLength(1)
  })

  it('that is in progress for ever, because its connector was killed, ends by itself', async () => {
    const lost = await lose(site)
    site.erp.scripted.push('in_progress', 'in_progress', 'in_progress')
    await settleOnce()
    expectData(await lost.sendAgain())
    expect(listErpDocuments(site.house, lost.number)).toHaveLength(1)
    site.erp.scripted.splice(0)
  })

  it.each([
    ['fails', new UnknownOutcome('failed', 'The ERP responded with status 500.')],
    ['times out', new UnknownOutcome('timeout', 'Nothing came back.')],
    ['is refused by a pause that has just begun', new GatewayError('READ_ONLY_MODE')],
  ])('stays in doubt while settling it %s', async (_how, failure) => {
    const { erp, house } = site
    const lost = await lose(site)
    const fail = () => {
      throw failure
    }
    for (let turn = 0; turn < 3; turn++) {
      erp.settleFailures.push(fail)
      house.clock.advance(silenceMs)
      await settleOnce()
      expect(erp.settleFailures).toEqual([])
      expect(await isInDoubt(lost)).toBe(true)
    }
    erp.settleFailures.push(fail)
    expectError(await lost.sendAgain(), 'IDEMPOTENCY_IN_PROGRESS')
    await erp.deliver()
    await settleOnce()
    expect(await isInDoubt(lost)).toBe(false)
    expect(listErpDocuments(house, lost.number)).toHaveLength(1)
  })
})

interface Checked {
  readonly reference?: string
  readonly sent_at?: string
}

function settleAbsent({ path }: Pick<Lost, 'path'>, { house }: Site = site, checked: Checked = {}) {
  const id = path.split('/').at(-1) ?? ''
  const options = { admin: adminToken, body: { outcome: 'absent', ...checked } }
  return call(house, 'POST', `/admin/api/writes-in-doubt/${id}/settle`, options)
}

const listOpenWrites = async ({ house }: Site) =>
  expectData(await call(house, 'GET', '/admin/api/writes-in-doubt', { admin: adminToken }))

/** Reads the reference and the time of the only open write. */
async function readOpenWrite(there: Site): Promise<Required<Checked>> {
  const open = await listOpenWrites(there)
  expect(open).toHaveLength(1)
  const { reference, sent_at } = open[0]
  return { reference, sent_at }
}

describe.each(lostSubmits)('a lost submit of a %s, before an ERP that only looks up', (_document, lose) => {
  it('is not settled as absent while it is in progress there, however long', async () => {
    const other = await openSite({ lookup: 'strong', max_request_ms: maxRequestMs, settles: false })
    const lost = await lose(other)
    other.house.clock.advance(silenceMs)
    other.erp.scripted.push('in_progress')
    expect((await settleAbsent(lost, other)).status).not.toBe(200)
    expect(expectData(await other.shop.get(lost.path)).in_doubt).toBe(true)
    other.erp.scripted.splice(0)
    expectData(await settleAbsent(lost, other))
    await other.house.close()
  })

  it('is not settled by what a person found about an earlier write with its reference', async () => {
    const other = await openSite({ lookup: 'strong', max_request_ms: maxRequestMs, settles: false })
    const lost = await lose(other)
    const first = await readOpenWrite(other)
    other.erp.underWay.splice(0)
    other.house.clock.advance(silenceMs)
    expectData(await settleAbsent(lost, other, first))
    await expectLost(other.erp, () => lost.sendAgain())
    const second = await readOpenWrite(other)
    expect(second.reference).toBe(first.reference)
    other.erp.underWay.splice(0)
    other.house.clock.advance(silenceMs)
    expectError(await settleAbsent(lost, other, first), 'NOT_FOUND')
    expectData(await settleAbsent(lost, other, second))
    await other.house.close()
  })
})

describe.each(lostSubmits)('an operator who settles a lost submit of a %s as absent', (_document, lose) => {
  it('settles the write whose reference was looked for, and no other', async () => {
    const lost = await lose(site)
    const { reference } = await readOpenWrite(site)
    expectError(await settleAbsent(lost, site, { reference: `${reference}-2` }), 'NOT_FOUND')
    expect(await isInDoubt(lost)).toBe(true)
    expectData(await settleAbsent(lost, site, { reference }))
    expect(await listOpenWrites(site)).toEqual([])
    await site.erp.deliver()
  })

  it('gets the same response again with its key, though the process ended before it could store anything more', async () => {
    const { house, erp } = site
    const lost = await lose(site)
    const path = `/admin/api/writes-in-doubt/${lost.path.split('/').at(-1)}/settle`
    const headers = { 'idempotency-key': `settles-${lost.number}` }
    const settle = () =>
      call(house, 'POST', path, { admin: adminToken, body: { outcome: 'absent' }, headers })
    const dying = vi.spyOn(house.gateway.store, 'executeAtOnce').mockRejectedValue(new Error('It ends here.'))
    const first = await settle().finally(() => dying.mockRestore())
    const again = await settle()
    expect(expectData(again)).toEqual(expectData(first))
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    await erp.deliver()
  })

  it('has the ERP fence it, so that it creates nothing when it arrives later', async () => {
    const { house, erp } = site
    const lost = await lose(site)
    expectData(await settleAbsent(lost))
    await erp.deliver()
    expect(listErpDocuments(house, lost.number)).toEqual([])
    expectData(await lost.sendAgain())
    await erp.deliver()
    expect(listErpDocuments(house, lost.number)).toHaveLength(1)
  })

  it('is told if it has arrived meanwhile', async () => {
    const { house, erp } = site
    const lost = await lose(site)
    await erp.deliver()
    expectError(await settleAbsent(lost), 'UPSTREAM_REJECTED', { reason: 'invalid_state' })
    expect(await isInDoubt(lost)).toBe(true)
    await settleOnce()
    expectData(await lost.sendAgain())
    expect(listErpDocuments(house, lost.number)).toHaveLength(1)
  })

  it('is believed without the ERP only when nothing can arrive any more', async () => {
    const { house, erp } = site
    const lost = await lose(site)
    const fail = () => {
      throw new UnknownOutcome('failed', 'The ERP responded with status 500.')
    }
    erp.settleFailures.push(fail)
    expectError(await settleAbsent(lost), 'UPSTREAM_ERROR')
    expect(await isInDoubt(lost)).toBe(true)
    house.clock.advance(silenceMs)
    erp.settleFailures.push(fail)
    expectData(await settleAbsent(lost))
    expect(erp.settleFailures).toEqual([])
    expectData(await lost.sendAgain())
    expect(listErpDocuments(house, lost.number)).toHaveLength(1)
    erp.scripted.splice(0)
  })
})

describe('a lost preview that replaced a hold', () => {
  it('is undone at once, and the next preview holds the stock', async () => {
    const { shop, erp } = site
    const body = buildDropship(await shop.createSku())
    expectData(await shop.post('/dropship-orders/allocation-preview', body))
    const more = { ...body, quantity: 2 }
    await expectLost(erp, () => shop.post('/dropship-orders/allocation-preview', more))
    await settleOnce()
    await erp.deliver()
    const again = expectData(await shop.post('/dropship-orders/allocation-preview', more))
    expect(again.hold).toMatchObject({ quantity: 2 })
  })
})

describe('a lost void', () => {
  it('that never took effect is undone only after two look-ups once the silence is over', async () => {
    const { shop, erp, house } = site
    const { order_id } = await createDraft(shop, await shop.createSku())
    const path = `/orders/${order_id}`
    expectData(await shop.post(`${path}/submit`))
    expectError(await erp.whileLate(() => shop.send('DELETE', path)), 'UPSTREAM_TIMEOUT')
    // A void that arrives later would still take effect, although the order was settled.
    house.clock.advance(silenceMs - 1)
    await settleOnce()
    expect(await isInDoubt({ path })).toBe(true)
    house.clock.advance(1)
    await settleOnce()
    expect(await isInDoubt({ path })).toBe(true)
    house.clock.advance(1_000)
    await settleOnce()
    expect(await isInDoubt({ path })).toBe(false)
    erp.underWay.splice(0)
  })
})

describe('while writes are paused', () => {
  it('a lost submit is only looked up', async () => {
    const { house, erp } = site
    const lost = await lostSubmits[0]?.[1](site)
    if (!lost) throw new Error('There is no kind of submit.')
    const [settles, lookups] = [erp.settles, erp.lookups]
    const pause = '/admin/api/upstream/pause'
    expectData(await call(house, 'POST', pause, { admin: adminToken, body: { seconds: 60 } }))
    await settleOnce()
    expect([erp.settles, erp.lookups]).toEqual([settles, lookups + 1])
    expect(await isInDoubt(lost)).toBe(true)
    expectData(await call(house, 'DELETE', pause, { admin: adminToken }))
    await settleOnce()
    expect([erp.settles, erp.lookups]).toEqual([settles + 1, lookups + 1])
    expect(await isInDoubt(lost)).toBe(false)
    erp.underWay.splice(0)
  })
})
