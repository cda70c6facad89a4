import { type Input, unwrap } from '@trade-gateway/connector'
import { beforeAll, expect, it } from 'vitest'
import type { StepName } from '../src/steps.ts'
import { Cut, openCut } from './cut.ts'
import { describeLive, readAvailable, stockUp, toHold, toSubmit } from './live.ts'

const stocked = 10
const quantity = 4
const steps: StepName[] = ['hold.mark', 'hold.cancel']
const endings = steps.flatMap((step) =>
  (['release', 'expiry'] as const).map((reason) => [step, reason] as const),
)

describeLive('Releases that are cut off after any step', () => {
  let cut: Awaited<ReturnType<typeof openCut>>
  let sku: string

  beforeAll(async () => {
    cut = await openCut()
    sku = await stockUp(cut.live, 29, stocked)
  })

  /** Makes a hold whose release is cut off after a step. */
  async function releaseCut(step: StepName, reason: Input<'release'>['reason']): Promise<Input<'release'>> {
    const { reference } = toHold(cut.live, sku, quantity)
    unwrap(await cut.live.erp.hold(toHold(cut.live, sku, quantity, { reference })))
    cut.cutAfter(step)
    await expect(cut.live.erp.release({ reference, reason })).rejects.toThrow(Cut)
    cut.cutAfter(undefined)
    return { reference, reason }
  }

  it.each(endings)('are continued by a repeated release after %s (%s)', async (step, reason) => {
    const input = await releaseCut(step, reason)
    const { document, figures } = unwrap(await cut.live.erp.release(input))
    expect(document.status).toBe(reason === 'expiry' ? 'expired' : 'released')
    expect(figures[0]?.rows).toMatchObject([{ sku, quantity_available: stocked }])
    expect(unwrap(await cut.live.erp.release(input)).document).toEqual(document)
    expect(await readAvailable(cut.live, sku)).toBe(stocked)
  })

  it.each(endings)('are finished by settle after %s (%s)', async (step, reason) => {
    const { reference } = await releaseCut(step, reason)
    // Its stock is still taken: only settle gives it back.
    expect(unwrap(await cut.live.erp.lookup({ reference })).state).toBe(
      step === 'hold.mark' ? 'in_progress' : 'found',
    )
    const settled = unwrap(await cut.live.erp.settle({ reference }))
    expect(settled).toMatchObject({
      state: 'found',
      document: { status: reason === 'expiry' ? 'expired' : 'released' },
    })
    expect(unwrap(await cut.live.erp.lookup({ reference }))).toEqual(settled)
    expect(await readAvailable(cut.live, sku)).toBe(stocked)
  })

  it.each(steps)('leave no stock to an order after %s: the hold has ended', async (step) => {
    const { reference } = await releaseCut(step, 'release')
    const input = toSubmit(cut.live, sku, quantity, { hold_reference: reference })
    expect(await cut.live.erp.submit(input)).toMatchObject({ rejected: { reason: 'hold_expired' } })
    unwrap(await cut.live.erp.release({ reference, reason: 'release' }))
    expect(await readAvailable(cut.live, sku)).toBe(stocked)
  })
})
