import type { Gateway } from '../../gateway.ts'
import { formatInstant } from '../../kernel/clock.ts'
import { deriveGuarantee } from '../../upstream/guarantee.ts'
import type { WritePause, WriteSwitch } from '../../upstream/write-switch.ts'

/** Describes the connected ERP and this process's measurements of it. Reads only memory. */
export function describeUpstream({ upstream }: Gateway) {
  const { known, figures, watch } = upstream
  return {
    name: upstream.name ?? null,
    sandbox: upstream.isSandbox,
    verdict: watch?.verdict ?? ('not_asked_yet' as const),
    last_answer_seconds: watch?.answerAgeSeconds ?? null,
    circuit: upstream.circuit,
    since: formatInstant(upstream.circuitSince),
    capabilities: known ?? null,
    guarantee: known ? deriveGuarantee(known) : null,
    measured_since: formatInstant(figures.since),
    operations: figures.list().map(({ last_error, ...figure }) => ({
      ...figure,
      last_error: last_error && { ...last_error, at: formatInstant(last_error.at) },
    })),
    writes: toWritesJson(upstream.writes, upstream.writes.pause),
    left_out: upstream.leftOut(),
  }
}

/** Describes whether writes may reach the ERP. `pause` is the pause that lasts now. */
export function toWritesJson({ isEnabled }: WriteSwitch, pause: WritePause | undefined) {
  return {
    enabled: isEnabled,
    paused_at: pause ? formatInstant(pause.paused_at) : null,
    paused_until: pause ? formatInstant(pause.paused_until) : null,
    paused_by: pause?.paused_by ?? null,
    reason: pause?.reason ?? null,
  }
}
