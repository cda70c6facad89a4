import { type Input, unwrap } from '@trade-gateway/connector'
import { beforeAll, expect, it } from 'vitest'
import type { StepName } from '../src/steps.ts'
import { Cut, openCut } from './cut.ts'
import { describeLive, readAvailable, stockUp, toHold } from './live.ts'

const stocked = 10
const steps: StepName[] = [
  'cover.create',
  'cover.assign',
  'hold.create',
  'hold.assign',
  'hold.mark',
  'hold.cancel',
  'cover.cancel',
]

describeLive('Holds that replace another one and are cut off after any step', () => {
  let cut: Awaited<ReturnType<typeof openCut>>
  let sku: string

  beforeAll(async () => {
    cut = await openCut()
    sku = await stockUp(cut.live, 3, stocked)
  })

  /** Holds most of the stock, and replaces it by a hold of all of it that is cut off after a step. */
  async function replaceCut(step: StepName): Promise<Input<'hold'> & { replaces: string }> {
    const { live, cutAfter } = cut
    const { reference: replaces } = unwrap(await live.erp.hold(toHold(live, sku, stocked - 2))).document ?? {}
    if (replaces === undefined) throw new Error('Nothing was held.')
    const input = { ...toHold(live, sku, stocked), replaces }
    cutAfter(step)
    await expect(live.erp.hold(input)).rejects.toThrow(Cut)
    cutAfter(undefined)
    return input
  }

  async function releaseAll({ reference, replaces }: { reference: string; replaces: string }) {
    for (const each of [reference, replaces])
      await cut.live.erp.release({ reference: each, reason: 'release' })
    expect(await readAvailable(cut.live, sku)).toBe(stocked)
  }

  it.each(steps)('are continued by a repeated hold after %s', async (step) => {
    const input = await replaceCut(step)
    const { document } = unwrap(await cut.live.erp.hold(input))
    expect(document).toMatchObject({ status: 'held', lines: [{ quantity_allocated: stocked }] })
    expect(await readAvailable(cut.live, sku)).toBe(0)
    await releaseAll(input)
  })

  it.each(steps)('are in progress until settle has finished or taken them back after %s', async (step) => {
    const { erp } = cut.live
    const input = await replaceCut(step)
    const { reference, replaces } = input
    expect(unwrap(await erp.lookup({ reference })).state).toBe(
      step === 'cover.cancel' ? 'found' : 'in_progress',
    )
    const isHeld = steps.indexOf(step) >= steps.indexOf('hold.assign')
    const settled = unwrap(await erp.settle({ reference }))
    expect(settled.state).toBe(isHeld ? 'found' : 'absent')
    expect(unwrap(await erp.lookup({ reference }))).toEqual(isHeld ? settled : { ...settled, fenced: true })
    const [old] = unwrap(await erp['documents.read']({ references: [replaces] })).documents
    expect(old?.status).toBe(isHeld ? 'released' : 'held')
    expect(await readAvailable(cut.live, sku)).toBe(isHeld ? 0 : 2)
    await releaseAll(input)
  })
})
