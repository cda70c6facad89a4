import { unwrap } from '@trade-gateway/connector'
import { beforeAll, expect, it } from 'vitest'
import { systemEnvironment } from '../src/environment.ts'
import { internalModel } from '../src/orders/context.ts'
import {
  createReference,
  describeLive,
  type Live,
  openLive,
  readAvailable,
  stockUp,
  toHold,
  toSubmit,
} from './live.ts'

/** Half of them in CI, where another lane has half of the machine. */
const parallelHolds = Number(process.env.TRYTON_PARALLEL_HOLDS ?? 40)
const enoughFor = 12

describeLive('Holds', () => {
  let live: Live
  /** Runs once after the next internal shipment was created and before its stock is assigned. */
  let meddle: (() => Promise<void>) | undefined

  beforeAll(async () => {
    live = await openLive({
      onStep: async (step) => {
        const run = step === 'hold.create' || step === 'cover.create' ? meddle : undefined
        if (run) meddle = undefined
        await run?.()
      },
    })
  })

  /** Cancels the newest internal shipment of a SKU, as staff could. */
  async function cancelNewest(sku: string) {
    const newest = { order: [['id', 'DESC']] as const, limit: 1 }
    const found = await live.staff.rpc.search(internalModel, [['moves.product.code', '=', sku]], newest)
    await live.staff.press(internalModel, 'cancel', found)
  }

  it('count only if Tryton shows them assigned: its `true` for a cancelled one is no hold', async () => {
    const sku = await stockUp(live, 5, 10)
    meddle = () => cancelNewest(sku)
    const { document } = unwrap(await live.erp.hold(toHold(live, sku, 2)))
    expect(document).toBeNull()
    // An order tries again while the stock is there.
    const cancelEach = async () => {
      await cancelNewest(sku)
      meddle = cancelEach
    }
    meddle = cancelEach
    expect(await live.erp.submit(toSubmit(live, sku, 2))).toMatchObject({
      rejected: { reason: 'insufficient_stock' },
    })
    meddle = undefined
    expect(await readAvailable(live, sku)).toBe(10)
  })

  it('that are short are cancelled, not deleted, and their SKU is hinted', async () => {
    const sku = await stockUp(live, 6, 5)
    const { cursor } = unwrap(await live.erp['stock.changed']({ warehouse_code: 'AUSYD1', cursor: null }))
    // Somebody takes the stock between the quote and the assignment.
    meddle = async () => void (await stockUp(live, 6, 1))
    const input = toHold(live, sku, 4)
    expect(unwrap(await live.erp.hold(input)).document).toBeNull()
    const left = await live.staff.rpc.search(internalModel, [['reference', 'like', `${input.reference} %`]])
    expect(left).toHaveLength(1)
    // A poll of another feed, a second old at most, serves this one too.
    const readHints = async () =>
      unwrap(await live.erp['stock.changed']({ warehouse_code: 'AUSYD1', cursor })).skus
    await expect.poll(readHints).toContain(sku)
    expect(unwrap(await live.erp.lookup({ reference: input.reference })).state).toBe('absent')
  })

  it('are hinted in their own warehouse alone', async () => {
    const sku = await stockUp(live, 21, 20)
    const poll = async (warehouse_code: string, cursor: string | null) =>
      unwrap(await live.erp['stock.changed']({ warehouse_code, cursor }))
    const follow = async (code: string) => {
      let { cursor } = await poll(code, null)
      const seen: string[] = []
      return async () => {
        const page = await poll(code, cursor)
        cursor = page.cursor
        seen.push(...page.skus)
        return seen
      }
    }
    const [readOwn, readOther] = [await follow('AUSYD1'), await follow('CHNZJ1')]
    // What was hinted once is not hinted again, so that only the hold is left to be hinted.
    for (const read of [readOwn, readOther]) (await read()).length = 0
    unwrap(await live.erp.hold(toHold(live, sku, 2)))
    // A poll of another feed, a second old at most, serves this one too.
    await expect.poll(readOwn).toContain(sku)
    expect(await readOther()).not.toContain(sku)
  })

  it('of the whole stock become an order, because they stay inside the warehouse', async () => {
    const sku = await stockUp(live, 7, 20)
    const held = toHold(live, sku, 20)
    expect(unwrap(await live.erp.hold(held)).document?.status).toBe('held')
    expect(await readAvailable(live, sku)).toBe(0)
    const { document } = unwrap(
      await live.erp.submit(toSubmit(live, sku, 20, { hold_reference: held.reference })),
    )
    expect(document.lines[0]?.quantity_allocated).toBe(20)
    unwrap(await live.erp.void({ reference: document.reference }))
  })

  it('are replaced in one step, with only the difference taken', async () => {
    const sku = await stockUp(live, 8, 10)
    const first = toHold(live, sku, 8)
    unwrap(await live.erp.hold(first))
    const second = toHold(live, sku, 10, { replaces: first.reference })
    expect(unwrap(await live.erp.hold(second)).document?.status).toBe('held')
    expect(await readAvailable(live, sku)).toBe(0)
    const third = toHold(live, sku, 11, { replaces: second.reference })
    expect(unwrap(await live.erp.hold(third)).document).toBeNull()
    const released = unwrap(await live.erp.release({ reference: second.reference, reason: 'expiry' }))
    expect(released.document.status).toBe('expired')
    expect(await readAvailable(live, sku)).toBe(10)
  })

  it('with one reference at once are one hold', async () => {
    const sku = await stockUp(live, 9, 30)
    const input = toHold(live, sku, 3)
    const results = await Promise.all([1, 2, 3].map(() => live.erp.hold(input)))
    const numbers = new Set(results.map((result) => unwrap(result).document?.number))
    expect(numbers.size).toBe(1)
    expect(await readAvailable(live, sku)).toBe(27)
    unwrap(await live.erp.release({ reference: input.reference, reason: 'release' }))
  })

  it('of one SKU at once never exceed its stock, and no caller sees a lock', async () => {
    // Its clock is slow: a busy machine may take longer for all of them than the time limit of one request.
    const elapsed = () => systemEnvironment.elapsed() / 8
    const patient = await openLive({ environment: { ...systemEnvironment, elapsed } })
    const sku = await stockUp(patient, 10, enoughFor)
    const inputs = Array.from({ length: parallelHolds }, () => toHold(patient, sku, 1))
    const results = await Promise.all(inputs.map((input) => patient.erp.hold(input)))
    const made = results.filter((result) => unwrap(result).document !== null)
    // Whoever came too late is told what is left, not what was there when it asked.
    for (const result of results) {
      const { document, quote } = unwrap(result)
      expect(quote.fulfillable).toBe(document !== null)
    }
    expect(made).toHaveLength(enoughFor)
    expect(await readAvailable(patient, sku)).toBe(0)
    for (const { reference } of inputs) await patient.erp.release({ reference, reason: 'release' })
    expect(await readAvailable(patient, sku)).toBe(enoughFor)
  }, 240_000)

  it('are taken back by settle while they wait for their stock', async () => {
    const sku = await stockUp(live, 11, 5)
    const input = toHold(live, sku, 2, { reference: createReference() })
    meddle = async () => {
      throw new Error('killed')
    }
    await expect(live.erp.hold(input)).rejects.toThrow('killed')
    expect(unwrap(await live.erp.lookup({ reference: input.reference })).state).toBe('in_progress')
    expect(unwrap(await live.erp.settle({ reference: input.reference })).state).toBe('absent')
    expect(await live.erp.hold(input)).toMatchObject({ rejected: { reason: 'invalid_state' } })
    expect(await readAvailable(live, sku)).toBe(5)
  })
})
