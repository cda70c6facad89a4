import { accepted, type ErpDocument, type Input } from '@trade-gateway/connector'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  holdInput,
  openTestErp,
  plentiful,
  stockOf,
  submitInput,
  type TestErp,
  toConsumer,
} from './test-erp.ts'

const handoverMs = 120_000
const shippingMs = 300_000
let erp: TestErp
beforeEach(async () => {
  erp = await openTestErp({ handoverMs, shippingMs })
})
afterEach(() => erp.close())

async function submitted(
  reference: string,
  lines: Record<string, number>,
  more: Partial<Input<'submit'>> = {},
) {
  return accepted(await erp.erp.submit(submitInput(erp, reference, lines, more))).document
}

async function seen(reference: string): Promise<ErpDocument | undefined> {
  return accepted(await erp.erp['documents.read']({ references: [reference] })).documents[0]
}

async function voided(reference: string) {
  const answer = await erp.erp.void({ reference })
  return 'ok' in answer ? [answer.ok.document.status, answer.ok.document.status_raw] : answer.rejected.reason
}

describe('an order', () => {
  it('is handed over to the warehouse, then leaves it, by the clock of the ERP', async () => {
    await submitted('o-1', { [plentiful]: 4 })
    erp.pass(handoverMs - 1)
    expect(await seen('o-1')).toMatchObject({ status: 'open', status_raw: 'ALLOCATED' })
    erp.pass(1)
    expect(await seen('o-1')).toMatchObject({ status: 'open', status_raw: 'PICKING', shipments: [] })
    expect(stockOf(erp, plentiful)).toEqual([10_000, 4])
    erp.pass(shippingMs - handoverMs)
    expect(await seen('o-1')).toMatchObject({ status: 'shipped', status_raw: 'DESPATCHED' })
    expect(stockOf(erp, plentiful)).toEqual([9_996, 0])
  })

  it('leaves in one shipment from each warehouse, with all that was allocated there', async () => {
    await submitted('o-1', { 'SBX-LAST-1': 2, [plentiful]: 41 })
    erp.pass(shippingMs)
    const document = await seen('o-1')
    expect(document?.lines.map(({ quantity_shipped }) => quantity_shipped)).toEqual([2, 41])
    expect(document?.shipments).toEqual([
      {
        number: 'SH-000001',
        warehouse_code: 'AUSYD1',
        carrier: 'Southern Road',
        service: 'Road freight',
        tracking_number: 'SBXAUSYD1000001',
        tracking_url: 'https://track.sandbox.example/SBXAUSYD1000001',
        lines: [
          { sku: 'SBX-LAST-1', quantity: 1 },
          { sku: plentiful, quantity: 41 },
        ],
        packages: 3,
        shipped_at: '2026-11-21T12:05:00.000Z',
        estimated_arrival_date: '2026-11-27',
        status_raw: 'DESPATCHED',
      },
      expect.objectContaining({ warehouse_code: 'AUSYD2', number: 'SH-000002', packages: 1 }),
    ])
  })

  it('is cancelled before the hand-over; after it drop-ship is intercepted; shipped is shipped', async () => {
    await submitted('o-1', { [plentiful]: 1 }, toConsumer())
    expect(await voided('o-1')).toEqual(['cancelled', 'VOID'])
    await submitted('o-2', { [plentiful]: 1 }, toConsumer())
    await submitted('o-3', { [plentiful]: 1 })
    await submitted('o-4', { [plentiful]: 1 }, toConsumer())
    erp.pass(handoverMs)
    expect(await voided('o-2')).toEqual(['intercepted', 'INTERCEPTED'])
    expect(await voided('o-2')).toEqual(['intercepted', 'INTERCEPTED'])
    expect(await voided('o-3')).toEqual(['cancelled', 'VOID'])
    erp.pass(shippingMs)
    expect(await voided('o-4')).toBe('already_shipped')
    expect(await voided('o-3')).toEqual(['cancelled', 'VOID'])
    expect(stockOf(erp, plentiful)).toEqual([9_999, 0])
  })

  it('moves on in bounded turns, and is never seen behind its time', async () => {
    const orders = 120
    for (let number = 0; number < orders; number++) await submitted(`o-${number}`, { [plentiful]: 1 })
    erp.pass(shippingMs)
    expect(await seen(`o-${orders - 1}`)).toMatchObject({ status: 'shipped' })
    expect(stockOf(erp, plentiful)[1]).toBeGreaterThan(0)
    let turns = 0
    while (erp.applyDue() > 0) turns += 1
    expect(turns).toBeGreaterThan(1)
    expect(stockOf(erp, plentiful)).toEqual([10_000 - orders, 0])
  })

  it('hints every move', async () => {
    const changed = async (cursor: string | null) => accepted(await erp.erp['documents.changed']({ cursor }))
    await submitted('o-0', { [plentiful]: 1 })
    let { cursor } = await changed(null)
    const told = async () => {
      const hints = await changed(cursor)
      cursor = hints.cursor
      return hints.references
    }
    await submitted('o-1', { [plentiful]: 1 })
    expect(await told()).toEqual(['o-1'])
    erp.pass(handoverMs)
    expect((await told()).toSorted()).toEqual(['o-0', 'o-1'])
    await erp.erp.void({ reference: 'o-1' })
    expect(await told()).toEqual(['o-1'])
    erp.pass(shippingMs)
    expect(await told()).toEqual(['o-0'])
    await erp.erp.hold(holdInput(erp, 'h-1', { [plentiful]: 1 }))
    expect(await told()).toEqual(['h-1'])
    expect(await told()).toEqual([])
    expect((await changed('garbled')).everything).toBe(true)
  })
})

describe('a look-up', () => {
  it('that is eventual sees a document after its lag, and its hint is not missed', async () => {
    const lag = 5_000
    const slow = await openTestErp({ capabilities: { lookup: 'eventual', lookup_lag_ms: lag } })
    const changed = async (cursor: string | null) => accepted(await slow.erp['documents.changed']({ cursor }))
    const { cursor } = await changed(null)
    await slow.erp.submit(submitInput(slow, 'o-1', { [plentiful]: 1 }))
    slow.pass(lag - 1)
    await slow.erp.submit(submitInput(slow, 'o-2', { [plentiful]: 1 }))
    const early = await changed(cursor)
    expect(early.references).toEqual([])
    const references = ['o-1', 'o-2']
    expect(accepted(await slow.erp['documents.read']({ references })).documents).toEqual([])
    expect(accepted(await slow.erp.lookup({ reference: 'o-1' })).state).toBe('absent')
    slow.pass(1)
    expect(accepted(await slow.erp.lookup({ reference: 'o-1' })).state).toBe('found')
    const later = await changed(early.cursor)
    expect(later.references).toEqual(['o-1'])
    slow.pass(lag)
    expect((await changed(later.cursor)).references).toEqual(['o-2'])
    slow.close()
  })

  it('is refused where there is none', async () => {
    const blind = await openTestErp({ capabilities: { lookup: 'none' } })
    expect(await blind.erp.lookup({ reference: 'o-1' })).toMatchObject({
      rejected: { reason: 'not_supported' },
    })
    blind.close()
  })
})
