import { type Erp, UnknownOutcome } from '../erp.ts'
import { callOk, shorten } from './call.ts'
import { type Check, ConformanceFailure } from './check.ts'

const promptMs = 2_000
const concurrentCalls = 16

/**
 * Lists the checks of calls in general. A call with an aborted signal must return at once. Over HTTP it throws
 * `UnknownOutcome`. An ERP in process may also return a result, because it may have nothing to cancel.
 */
export function listCallChecks({ overHttp }: { overHttp: boolean }): Check[] {
  return [
    {
      id: 'calls.parallel',
      states: `${concurrentCalls} concurrent calls all return a result.`,
      async run(erp) {
        const calls = Array.from({ length: concurrentCalls }, (_, index) =>
          index % 2 === 0
            ? callOk(erp, 'products.snapshot', { after: null, limit: 5 })
            : callOk(erp, 'warehouses', {}),
        )
        await Promise.all(calls)
        return undefined
      },
    },
    {
      id: 'calls.aborted',
      states: 'A call with an aborted signal ends at once.',
      async run(erp) {
        const began = performance.now()
        const outcome = await callAborted(erp)
        const took = performance.now() - began
        const isRight = outcome === 'unknown' || (outcome === 'a result' && !overHttp)
        if (isRight && took < promptMs) return undefined
        throw new ConformanceFailure({
          expected: `a call with an aborted signal to throw UnknownOutcome within ${promptMs} ms`,
          actual: `${outcome} after ${Math.round(took)} ms`,
          remedy:
            'Check options.signal before and while waiting, and translate its error into UnknownOutcome.',
        })
      },
    },
  ]
}

async function callAborted(erp: Erp): Promise<string> {
  const late = Promise.withResolvers<string>()
  const timer = setTimeout(() => late.resolve('nothing'), promptMs)
  const call = erp.warehouses({}, { signal: AbortSignal.abort() }).then(
    () => 'a result',
    (error: unknown) => (error instanceof UnknownOutcome ? 'unknown' : `"${shorten(String(error))}"`),
  )
  try {
    return await Promise.race([call, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
