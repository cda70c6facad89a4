import { isPlainKey, type PlainKey } from '../../texts/catalogue.ts'

interface Told {
  readonly status: number
  readonly upstream_calls: readonly { readonly result: string; readonly rejection_reason: string | null }[]
}

/** What happened to a request, as the texts that say it: the last call to the ERP decides whether the ERP failed it. */
export function tellOutcome({ status, upstream_calls }: Told): { text: PlainKey } | { reason: PlainKey } {
  if (status < 400) return { text: 'told_done' }
  const last = upstream_calls.at(-1)
  const reason = `told_rejected_${last?.rejection_reason}`
  if (isPlainKey(reason)) return { reason }
  if (last !== undefined && last.result !== 'ok' && last.result !== 'rejected')
    return { text: 'told_no_answer' }
  return { text: status >= 500 ? 'told_gateway_failed' : 'told_refused_here' }
}
