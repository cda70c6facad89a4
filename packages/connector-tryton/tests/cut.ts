/** A connector in this process that ends after a step, for tests. */
import type { StepName } from '../src/steps.ts'
import { type Live, openLive } from './live.ts'

export class Cut extends Error {}

/** The steps of an order without a hold. */
export const submitSteps: StepName[] = [
  'cover.create',
  'cover.assign',
  'sale.create',
  'sale.quote',
  'sale.confirm',
  'shipment.assign',
  'cover.cancel',
]
/** A connector that ends, as if it were killed, right after one named step of the first write. */
export async function openCut(): Promise<{ live: Live; cutAfter: (step: StepName | undefined) => void }> {
  let wanted: StepName | undefined
  const live = await openLive({
    onStep: (step) => {
      if (step === wanted) throw new Cut(step)
    },
  })
  return {
    live,
    cutAfter: (step) => {
      wanted = step
    },
  }
}
