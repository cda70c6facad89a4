import { type Input, unwrap } from '@trade-gateway/connector'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createDropshipFields,
  createHoldInput,
  createQuoteInput,
  createSubmitInput,
  listAvailable,
  openTestErp,
  plentiful,
  readStock,
  type TestErp,
} from '../testing/test-erp.ts'

let erp: TestErp
beforeEach(async () => {
  erp = await openTestErp()
})
afterEach(() => erp.close())

type Lines = Readonly<Record<string, number>>

async function holdStock(reference: string, lines: Lines, more: Partial<Input<'hold'>> = {}) {
  return unwrap(await erp.erp.hold(createHoldInput(erp, reference, lines, more)))
}

const minutes = 60_000

describe('a hold', () => {
  it('takes its units out of what is available, and says so with the new figures', async () => {
    const { document, figures } = await holdStock('h-1', { [plentiful]: 4 })
    expect(document).toMatchObject({ kind: 'hold', status: 'held', status_raw: 'HELD', number: 'HL-000001' })
    expect(document?.lines[0]).toMatchObject({ quantity: 4, quantity_allocated: 4, quantity_shipped: 0 })
    expect(readStock(erp, plentiful)).toEqual([10_000, 4])
    expect(listAvailable(figures)).toEqual([`AUSYD1 ${plentiful}: 9996`])
    const read = unwrap(await erp.erp['stock.read']({ warehouse_code: 'AUSYD1', skus: [plentiful] }))
    expect(read.rows).toEqual(figures[0]?.rows)
  })

  it('takes the next number of the warehouse, so that the change is hinted', async () => {
    const readHints = async (cursor: string | null) =>
      unwrap(await erp.erp['stock.changed']({ warehouse_code: 'AUSYD1', cursor }))
    const { cursor } = await readHints(null)
    await holdStock('h-1', { [plentiful]: 4 })
    expect((await readHints(cursor)).skus).toEqual([plentiful])
  })

  it('holds all lines or none', async () => {
    const { document, quote, figures } = await holdStock('h-1', { [plentiful]: 4, 'SBX-OOS': 1 })
    expect([document, figures]).toEqual([null, []])
    expect(quote).toMatchObject({ fulfillable: false, unfulfillable_reasons: ['insufficient_stock'] })
    expect(readStock(erp, plentiful)).toEqual([10_000, 0])
    expect(unwrap(await erp.erp.lookup({ reference: 'h-1' })).state).toBe('absent')
  })

  it('exists once for one reference', async () => {
    const once = await holdStock('h-1', { [plentiful]: 4 })
    const again = await holdStock('h-1', { [plentiful]: 4 })
    expect(again.document).toEqual(once.document)
    expect(again.quote).toEqual(once.quote)
    expect(readStock(erp, plentiful)).toEqual([10_000, 4])
  })

  it('returns an existing hold even if the session has ended meanwhile', async () => {
    const input = createHoldInput(erp, 'h-1', { [plentiful]: 4 })
    const once = unwrap(await erp.erp.hold(input))
    const again = unwrap(await erp.erp.hold({ ...input, session: 'ended' }))
    expect(again.document).toEqual(once.document)
  })

  it('of drop-ship comes from one warehouse', async () => {
    expect((await holdStock('h-1', { 'SBX-LAST-1': 2 }, createDropshipFields())).document).toBeNull()
    expect((await holdStock('h-2', { 'SBX-LAST-1': 2 })).document?.lines[0]?.allocations).toHaveLength(2)
  })

  it('replaces another in one step: what that one holds is available to it', async () => {
    await holdStock('h-1', { 'SBX-LAST-1': 2, [plentiful]: 1 })
    const { document, figures } = await holdStock('h-2', { 'SBX-LAST-1': 2 }, { replaces: 'h-1' })
    expect(document?.status).toBe('held')
    expect(readStock(erp, 'SBX-LAST-1')).toEqual([1, 1])
    expect(readStock(erp, plentiful)).toEqual([10_000, 0])
    expect(listAvailable(figures).toSorted()).toEqual([
      `AUSYD1 ${plentiful}: 10000`,
      'AUSYD1 SBX-LAST-1: 0',
      'AUSYD2 SBX-LAST-1: 0',
    ])
    const old = unwrap(await erp.erp.lookup({ reference: 'h-1' })).document
    expect(old).toMatchObject({ status: 'released', status_raw: 'RELEASED' })
  })

  it('that is short leaves the one that it would replace as it was', async () => {
    await holdStock('h-1', { 'SBX-LAST-1': 2 })
    expect((await holdStock('h-2', { 'SBX-LAST-1': 3 }, { replaces: 'h-1' })).document).toBeNull()
    expect(unwrap(await erp.erp.lookup({ reference: 'h-1' })).document?.status).toBe('held')
    expect(readStock(erp, 'SBX-LAST-1')).toEqual([1, 1])
  })

  it('replaces what is over, or never was, without a word', async () => {
    expect((await holdStock('h-2', { [plentiful]: 1 }, { replaces: 'never' })).document?.status).toBe('held')
    await erp.erp.release({ reference: 'h-2', reason: 'release' })
    expect((await holdStock('h-3', { [plentiful]: 1 }, { replaces: 'h-2' })).document?.status).toBe('held')
    expect(readStock(erp, plentiful)).toEqual([10_000, 1])
  })

  it('does not replace what an order has consumed, nor what another customer holds', async () => {
    await holdStock('h-1', { [plentiful]: 1 })
    await erp.erp.submit(createSubmitInput(erp, 'o-1', { [plentiful]: 1 }, { hold_reference: 'h-1' }))
    const consumed = erp.erp.hold(createHoldInput(erp, 'h-2', { [plentiful]: 1 }, { replaces: 'h-1' }))
    expect(await consumed).toMatchObject({ rejected: { reason: 'invalid_state' } })
    await holdStock('h-3', { [plentiful]: 1 })
    const other = { customer_code: 'CUST-LANTERN', session: erp.sessions[1], replaces: 'h-3' }
    expect(await erp.erp.hold(createHoldInput(erp, 'h-4', { [plentiful]: 1 }, other))).toMatchObject({
      rejected: { reason: 'not_found' },
    })
    expect(readStock(erp, plentiful)).toEqual([10_000, 2])
  })

  it('counts as available to the quote of the order that would consume it', async () => {
    await holdStock('h-1', { 'SBX-LAST-1': 2 })
    const isFulfillable = async (hold_reference: string | null) =>
      unwrap(await erp.erp.quote(createQuoteInput(erp, { 'SBX-LAST-1': 2 }, { hold_reference }))).quote
        .fulfillable
    expect([await isFulfillable(null), await isFulfillable('h-1')]).toEqual([false, true])
  })
})

describe('the end of a hold', () => {
  it('releases its units when it expires, before the next operation reads them', async () => {
    await holdStock('h-1', { 'SBX-LAST-1': 2 })
    erp.advance(15 * minutes - 1)
    const sydney = { warehouse_codes: ['AUSYD1', 'AUSYD2'] }
    expect((await holdStock('h-2', { 'SBX-LAST-1': 1 }, sydney)).document).toBeNull()
    erp.advance(1)
    expect((await holdStock('h-3', { 'SBX-LAST-1': 2 }, sydney)).document?.status).toBe('held')
    expect(unwrap(await erp.erp.lookup({ reference: 'h-1' })).document).toMatchObject({
      status: 'expired',
      status_raw: 'EXPIRED',
      cancelled_at: '2026-11-21T12:15:00.000Z',
    })
  })

  it('comes without anybody asking', async () => {
    await holdStock('h-1', { [plentiful]: 2 })
    erp.advance(15 * minutes)
    erp.applyDueChanges()
    expect(readStock(erp, plentiful)).toEqual([10_000, 0])
  })

  it('by release gives exactly its units back, and twice is the same', async () => {
    await holdStock('h-1', { [plentiful]: 2 })
    await holdStock('h-2', { [plentiful]: 5 })
    const once = unwrap(await erp.erp.release({ reference: 'h-1', reason: 'release' }))
    expect(once.document.status).toBe('released')
    expect(listAvailable(once.figures)).toEqual([`AUSYD1 ${plentiful}: 9995`])
    erp.advance(minutes)
    expect(unwrap(await erp.erp.release({ reference: 'h-1', reason: 'expiry' }))).toEqual(once)
    expect(readStock(erp, plentiful)).toEqual([10_000, 5])
  })

  it('is refused for what is no hold and for what an order has consumed', async () => {
    await holdStock('h-1', { [plentiful]: 1 })
    await erp.erp.submit(createSubmitInput(erp, 'o-1', { [plentiful]: 1 }, { hold_reference: 'h-1' }))
    const releaseHold = async (reference: string) => {
      const answer = await erp.erp.release({ reference, reason: 'release' })
      return 'rejected' in answer ? answer.rejected.reason : 'ok'
    }
    expect([await releaseHold('h-1'), await releaseHold('o-1'), await releaseHold('x')]).toEqual([
      'invalid_state',
      'not_found',
      'not_found',
    ])
    expect(readStock(erp, plentiful)).toEqual([10_000, 1])
  })
})

describe('an ERP with other holds', () => {
  it('never lets a plain hold expire, and has none where it says so', async () => {
    const plain = await openTestErp({ capabilities: { holds: 'plain' } })
    const none = await openTestErp({ capabilities: { holds: 'none' } })
    await plain.erp.hold(createHoldInput(plain, 'h-1', { [plentiful]: 1 }))
    plain.advance(60 * minutes)
    plain.applyDueChanges()
    expect(readStock(plain, plentiful)).toEqual([10_000, 1])
    expect(await none.erp.hold(createHoldInput(none, 'h-1', { [plentiful]: 1 }))).toMatchObject({
      rejected: { reason: 'not_supported' },
    })
    plain.close()
    none.close()
  })
})
