import { Duration } from '../../parts/values.tsx'
import { useTexts } from '../../texts/texts.ts'

interface TimedRequest {
  readonly duration_ms: number
  readonly upstream_ms: number
  readonly upstream_calls: readonly {
    readonly operation: string
    readonly duration_ms: number
    readonly result: string
    readonly rejection_reason: string | null
  }[]
}

/** Where the time of a request went: in the gateway, and in each call of the ERP. Calls may have run side by side. */
export function Timeline({ request }: { readonly request: TimedRequest }) {
  const t = useTexts()
  const { duration_ms: total, upstream_ms: upstream, upstream_calls: calls } = request
  const own = Math.max(0, total - upstream)
  return (
    <div className="timeline">
      <Bar name={t('whole_request')} ms={total} total={total} kind="whole" />
      <Bar name={t('in_gateway')} ms={own} total={total} kind="gateway" />
      {calls.map(({ operation, duration_ms, result, rejection_reason: reason }, at) => (
        <Bar
          // biome-ignore lint/suspicious/noArrayIndexKey: the calls of a request never change, and one may repeat.
          key={`${operation} ${at}`}
          name={operation}
          {...(result === 'ok' ? {} : { note: reason === null ? result : `${result}: ${reason}` })}
          ms={duration_ms}
          total={total}
          kind={result === 'ok' ? 'erp' : 'failed'}
        />
      ))}
      {calls.length === 0 && <p className="muted">{t('no_erp_calls')}</p>}
    </div>
  )
}

interface BarProps {
  readonly name: string
  readonly note?: string
  readonly ms: number
  readonly total: number
  readonly kind: 'whole' | 'gateway' | 'erp' | 'failed'
}

function Bar({ name, note, ms, total, kind }: BarProps) {
  const share = total === 0 ? 0 : Math.min(1, ms / total)
  return (
    <div className="bar">
      <span className="bar-name mono">{name}</span>
      <svg className="bar-track" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <rect width={Math.max(0.5, share * 100)} height="10" data-kind={kind} />
      </svg>
      <span className="bar-figure">
        <Duration ms={ms} />
      </span>
      <span className="bar-note" data-kind={kind}>
        {note}
      </span>
    </div>
  )
}
