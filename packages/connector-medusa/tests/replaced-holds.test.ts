/** Holds and orders that end a hold and are cut off, on a real Medusa: no unit is lost, and no hold loses its units. */
import { type Erp, type Input, unwrap } from '@trade-gateway/connector'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { RecordStore } from '../src/records.ts'
import {
  buyElsewhere,
  createReference,
  giveBack,
  isConfigured,
  limits,
  openAdmin,
  openConnector,
  openMortal,
  type Request,
  reportLeftOut,
  reserveDraft,
  signIn,
  soon,
} from './live.ts'

const warehouse = 'CHNZJ1'
/** Not the goods of the tests that run at the same time. */
const skus = ['MED-0006-S', 'MED-0007-S'] as const
const maxTestMs = 120_000

if (!isConfigured) reportLeftOut('replaced-holds.test.ts')

describe.skipIf(!isConfigured)('what ends a hold and is cut off', () => {
  let erp: Erp
  let request: Request
  let before: number[]
  const readBoth = async () => {
    const { rows } = unwrap(await erp['stock.read']({ warehouse_code: warehouse, skus: [...skus] }))
    return skus.map((sku) => rows.find((row) => row.sku === sku)?.quantity_available ?? Number.NaN)
  }
  beforeAll(async () => {
    erp = await openConnector()
    request = await signIn(erp, warehouse)
  }, maxTestMs)
  beforeEach(async () => {
    before = await readBoth()
  })

  /** All units of both SKUs. */
  const listAll = () => skus.map((sku, index) => ({ sku, quantity: before[index] ?? 0 }))
  const listSome = () => skus.map((sku) => ({ sku, quantity: 2 }))
  const createHold = (
    reference: string,
    { lines, replaces = null }: { lines: Input<'hold'>['lines']; replaces?: string | null },
  ): Input<'hold'> => ({ ...request, lines, reference, replaces, expires_at: soon() })
  const createOrder = (
    reference: string,
    { lines, hold_reference }: { lines: Input<'hold'>['lines']; hold_reference: string | null },
  ): Input<'submit'> => ({ ...request, ...limits, lines, reference, hold_reference, allow_partial: false })
  const readStatus = async (reference: string) =>
    unwrap(await erp['documents.read']({ references: [reference] })).documents[0]?.status
  const release = async (reference: string) => unwrap(await erp.release({ reference, reason: 'release' }))

  it.each([
    ['settled', 2, 0],
    ['settled', 2, 1],
    ['repeated', 2, 0],
    ['repeated', 2, 1],
  ] as const)(
    'a hold that was %s after its line %i and %i ended lines of the other ends the other',
    async (how, time, ended) => {
      const [former, next] = [createReference(), createReference()]
      unwrap(await erp.hold(createHold(former, { lines: listSome() })))
      const input = createHold(next, { lines: listSome(), replaces: former })
      const mortal = ended === 0 ? openMortal('hold.reserve', time) : openMortal('hold.end', ended)
      await expect((await mortal).hold(input)).rejects.toThrow('killed')
      const reborn = await openConnector()
      expect(unwrap(await reborn.lookup({ reference: next })).state).toBe('in_progress')
      const { document } =
        how === 'settled'
          ? unwrap(await reborn.settle({ reference: next }))
          : unwrap(await reborn.hold(input))
      expect(document?.status).toBe('held')
      expect(await readStatus(former)).toBe('released')
      expect(unwrap(await reborn.lookup({ reference: next })).state).toBe('found')
      expect(await readBoth()).toEqual(before.map((one) => one - 2))
      await release(next)
      expect(await readBoth()).toEqual(before)
    },
    maxTestMs,
  )

  it.each([
    ['intent.create', 1, 'held'],
    ['hold.end', 1, 'held'],
    ['hold.end', 2, 'held'],
    ['hold.reserve', 1, 'held'],
    ['hold.reserve', 2, 'released'],
  ] as const)(
    'a hold that needs the units of another and is settled after %s (%i) leaves the other %s',
    async (step, time, status) => {
      const [former, next] = [createReference(), createReference()]
      unwrap(await erp.hold(createHold(former, { lines: listAll() })))
      const input = createHold(next, { lines: listAll(), replaces: former })
      await expect((await openMortal(step, time)).hold(input)).rejects.toThrow('killed')
      const reborn = await openConnector()
      const state = status === 'held' ? 'absent' : 'found'
      for (let call = 0; call < 2; call++)
        expect(unwrap(await reborn.settle({ reference: next })).state).toBe(state)
      expect(unwrap(await reborn.lookup({ reference: next })).state).toBe(state)
      expect(await readStatus(former)).toBe(status)
      expect(await readBoth()).toEqual([0, 0])
      await release(status === 'held' ? former : next)
      expect(await readBoth()).toEqual(before)
    },
    maxTestMs,
  )

  it(
    'a hold whose repetition is refused gives the other back, as far as units are left',
    async () => {
      const [former, next] = [createReference(), createReference()]
      unwrap(await erp.hold(createHold(former, { lines: listAll() })))
      const input = createHold(next, { lines: listAll(), replaces: former })
      await expect((await openMortal('hold.reserve')).hold(input)).rejects.toThrow('killed')
      const bought = await buyElsewhere(warehouse, skus[1], 1)
      expect(unwrap(await erp.hold(input)).document).toBeNull()
      expect(await readBoth()).toEqual([0, (before[1] ?? 0) - 1])
      await release(former)
      await giveBack(bought)
      expect(await readBoth()).toEqual(before)
    },
    maxTestMs,
  )

  it(
    'a hold that was released meanwhile is not revived',
    async () => {
      const [former, next] = [createReference(), createReference()]
      unwrap(await erp.hold(createHold(former, { lines: listAll() })))
      const input = createHold(next, { lines: listAll(), replaces: former })
      await expect((await openMortal('hold.end', 2)).hold(input)).rejects.toThrow('killed')
      await release(former)
      expect(unwrap(await erp.settle({ reference: next })).state).toBe('absent')
      expect(await readStatus(former)).toBe('released')
      expect(await readBoth()).toEqual(before)
    },
    maxTestMs,
  )

  it.each([
    ['intent.create', 1],
    ['draft.delete', 1],
    ['hold.revive', 1],
    ['hold.revive', 2],
    ['surplus.delete', 1],
  ] as const)(
    'an order whose taking back ends after %s (%i) is taken back by the next settle',
    async (step, time) => {
      const [held, ordered] = [createReference(), createReference()]
      unwrap(await erp.hold(createHold(held, { lines: listSome() })))
      const input = createOrder(ordered, { lines: listSome(), hold_reference: held })
      await expect((await openMortal('hold.end', 2)).submit(input)).rejects.toThrow('killed')
      await reserveDraft(ordered)
      await expect((await openMortal(step, time)).settle({ reference: ordered })).rejects.toThrow('killed')
      expect(unwrap(await (await openConnector()).settle({ reference: ordered })).state).toBe('absent')
      expect(await readStatus(held)).toBe('held')
      expect(await readBoth()).toEqual(before.map((one) => one - 2))
      await release(held)
      expect(await readBoth()).toEqual(before)
    },
    maxTestMs,
  )

  it(
    'a reference that was settled as absent is fenced for a look-up',
    async () => {
      const reference = createReference()
      expect(unwrap(await erp.lookup({ reference }))).toMatchObject({ state: 'absent', fenced: false })
      unwrap(await erp.settle({ reference }))
      expect(unwrap(await erp.lookup({ reference }))).toMatchObject({ state: 'absent', fenced: true })
    },
    maxTestMs,
  )

  it.each([0, 1])(
    'a hold of which staff deleted line %i gives back what is left',
    async (index) => {
      const reference = createReference()
      unwrap(await erp.hold(createHold(reference, { lines: listSome() })))
      const { hold } = await new RecordStore(openAdmin()).readOne(reference)
      const path = `/admin/reservations/${hold[index]?.id}`
      await openAdmin().send({ method: 'DELETE', path, schema: z.unknown() })
      expect((await release(reference)).document.status).toBe('released')
      expect((await release(reference)).document.status).toBe('released')
      expect(await readBoth()).toEqual(before)
    },
    maxTestMs,
  )
})
