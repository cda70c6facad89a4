import { type Erp, UnknownOutcome } from '../erp.ts'
import { asked, shortly } from './ask.ts'
import { type Check, ConformanceFailure } from './check.ts'

const promptMs = 2_000
const sideBySide = 16

/**
 * Checks of calls as such. A call whose signal is aborted already ends at once: over HTTP with `UnknownOutcome`; in
 * process an answer is as good, since an ERP that computes in place has nothing to break off.
 */
export function callChecks({ overHttp }: { overHttp: boolean }): Check[] {
  return [
    {
      id: 'calls.parallel',
      states: `${sideBySide} calls side by side are all answered.`,
      async run(erp) {
        const calls = Array.from({ length: sideBySide }, (_, index) =>
          index % 2 === 0
            ? asked(erp, 'products.snapshot', { after: null, limit: 5 })
            : asked(erp, 'warehouses', {}),
        )
        await Promise.all(calls)
        return undefined
      },
    },
    {
      id: 'calls.aborted',
      states: 'A call that was given up before it began ends at once.',
      async run(erp) {
        const began = performance.now()
        const outcome = await abortedCall(erp)
        const took = performance.now() - began
        const isRight = outcome === 'unknown' || (outcome === 'answered' && !overHttp)
        if (isRight && took < promptMs) return undefined
        throw new ConformanceFailure({
          expected: `a call with an aborted signal to throw UnknownOutcome within ${promptMs} ms`,
          came: `${outcome} after ${Math.round(took)} ms`,
          remedy: 'Look at options.signal before and while waiting, and translate what is thrown.',
        })
      },
    },
  ]
}

async function abortedCall(erp: Erp): Promise<string> {
  const late = Promise.withResolvers<string>()
  const timer = setTimeout(() => late.resolve('nothing'), promptMs)
  const call = erp.warehouses({}, { signal: AbortSignal.abort() }).then(
    () => 'answered',
    (error: unknown) => (error instanceof UnknownOutcome ? 'unknown' : `"${shortly(String(error))}"`),
  )
  try {
    return await Promise.race([call, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
