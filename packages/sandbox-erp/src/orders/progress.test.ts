import { type ErpDocument, type Input, unwrap } from '@trade-gateway/connector'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createDropshipFields,
  createHoldInput,
  createSubmitInput,
  openTestErp,
  plentiful,
  readStock,
  type TestErp,
} from '../testing/test-erp.ts'

const handoverMs = 120_000
const shippingMs = 300_000
let erp: TestErp
beforeEach(async () => {
  erp = await openTestErp({ handoverMs, shippingMs })
})
afterEach(() => erp.close())

async function submitOrder(
  reference: string,
  lines: Record<string, number>,
  more: Partial<Input<'submit'>> = {},
) {
  return unwrap(await erp.erp.submit(createSubmitInput(erp, reference, lines, more))).document
}

async function lookUp(reference: string): Promise<ErpDocument | undefined> {
  return unwrap(await erp.erp['documents.read']({ references: [reference] })).documents[0]
}

async function voidOrder(reference: string) {
  const answer = await erp.erp.void({ reference })
  return 'ok' in answer ? [answer.ok.document.status, answer.ok.document.status_raw] : answer.rejected.reason
}

describe('an order', () => {
  it('is handed over to the warehouse, then leaves it, by the clock of the ERP', async () => {
    await submitOrder('o-1', { [plentiful]: 4 })
    erp.advance(handoverMs - 1)
    expect(await lookUp('o-1')).toMatchObject({ status: 'open', status_raw: 'ALLOCATED' })
    erp.advance(1)
    expect(await lookUp('o-1')).toMatchObject({ status: 'open', status_raw: 'PICKING', shipments: [] })
    expect(readStock(erp, plentiful)).toEqual([10_000, 4])
    erp.advance(shippingMs - handoverMs)
    expect(await lookUp('o-1')).toMatchObject({ status: 'shipped', status_raw: 'DESPATCHED' })
    expect(readStock(erp, plentiful)).toEqual([9_996, 0])
  })

  it('leaves in one shipment from each warehouse, with all that was allocated there', async () => {
    await submitOrder('o-1', { 'SBX-LAST-1': 2, [plentiful]: 41 })
    erp.advance(shippingMs)
    const document = await lookUp('o-1')
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
    await submitOrder('o-1', { [plentiful]: 1 }, createDropshipFields())
    expect(await voidOrder('o-1')).toEqual(['cancelled', 'VOID'])
    await submitOrder('o-2', { [plentiful]: 1 }, createDropshipFields())
    await submitOrder('o-3', { [plentiful]: 1 })
    await submitOrder('o-4', { [plentiful]: 1 }, createDropshipFields())
    erp.advance(handoverMs)
    expect(await voidOrder('o-2')).toEqual(['intercepted', 'INTERCEPTED'])
    expect(await voidOrder('o-2')).toEqual(['intercepted', 'INTERCEPTED'])
    expect(await voidOrder('o-3')).toEqual(['cancelled', 'VOID'])
    erp.advance(shippingMs)
    expect(await voidOrder('o-4')).toBe('already_shipped')
    expect(await voidOrder('o-3')).toEqual(['cancelled', 'VOID'])
    expect(readStock(erp, plentiful)).toEqual([9_999, 0])
  })

  it('moves on in bounded turns, and is never seen behind its time', async () => {
    const orders = 120
    for (let number = 0; number < orders; number++) await submitOrder(`o-${number}`, { [plentiful]: 1 })
    erp.advance(shippingMs)
    expect(await lookUp(`o-${orders - 1}`)).toMatchObject({ status: 'shipped' })
    expect(readStock(erp, plentiful)[1]).toBeGreaterThan(0)
    let turns = 0
    while (erp.applyDueChanges() > 0) turns += 1
    expect(turns).toBeGreaterThan(1)
    expect(readStock(erp, plentiful)).toEqual([10_000 - orders, 0])
  })

  it('hints every move', async () => {
    const readChanges = async (cursor: string | null) =>
      unwrap(await erp.erp['documents.changed']({ cursor }))
    await submitOrder('o-0', { [plentiful]: 1 })
    let { cursor } = await readChanges(null)
    const readHints = async () => {
      const hints = await readChanges(cursor)
      cursor = hints.cursor
      return hints.references
    }
    await submitOrder('o-1', { [plentiful]: 1 })
    expect(await readHints()).toEqual(['o-1'])
    erp.advance(handoverMs)
    expect((await readHints()).toSorted()).toEqual(['o-0', 'o-1'])
    await erp.erp.void({ reference: 'o-1' })
    expect(await readHints()).toEqual(['o-1'])
    erp.advance(shippingMs)
    expect(await readHints()).toEqual(['o-0'])
    await erp.erp.hold(createHoldInput(erp, 'h-1', { [plentiful]: 1 }))
    expect(await readHints()).toEqual(['h-1'])
    expect(await readHints()).toEqual([])
    expect((await readChanges('garbled')).everything).toBe(true)
  })
})

describe('a look-up', () => {
  it('that is eventual sees a document after its lag, and its hint is not missed', async () => {
    const lag = 5_000
    const slow = await openTestErp({ capabilities: { lookup: 'eventual', lookup_lag_ms: lag } })
    const readChanges = async (cursor: string | null) =>
      unwrap(await slow.erp['documents.changed']({ cursor }))
    const { cursor } = await readChanges(null)
    await slow.erp.submit(createSubmitInput(slow, 'o-1', { [plentiful]: 1 }))
    slow.advance(lag - 1)
    await slow.erp.submit(createSubmitInput(slow, 'o-2', { [plentiful]: 1 }))
    const early = await readChanges(cursor)
    expect(early.references).toEqual([])
    const references = ['o-1', 'o-2']
    expect(unwrap(await slow.erp['documents.read']({ references })).documents).toEqual([])
    expect(unwrap(await slow.erp.lookup({ reference: 'o-1' })).state).toBe('absent')
    slow.advance(1)
    expect(unwrap(await slow.erp.lookup({ reference: 'o-1' })).state).toBe('found')
    const later = await readChanges(early.cursor)
    expect(later.references).toEqual(['o-1'])
    slow.advance(lag)
    expect((await readChanges(later.cursor)).references).toEqual(['o-2'])
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
