import { readActor, recordChange } from '../../audit/audit.ts'
import type { Call } from '../../contract/call.ts'
import { GatewayError } from '../../contract/errors.ts'
import type { Gateway } from '../../gateway.ts'
import { formatInstant } from '../../kernel/clock.ts'
import { storeWritePause, type WritePause } from '../../upstream/write-switch.ts'
import { toWritesJson } from './read.ts'

interface Operator {
  readonly gateway: Gateway
  readonly call: Call
}

interface PauseRequest {
  readonly seconds: number
  readonly reason?: string | undefined
}

/** Pauses writes in every process. A pause that lasts already is replaced. Returns the new state of writes. */
export async function pauseWrites(operator: Operator, { seconds, reason }: PauseRequest) {
  const { gateway, call } = operator
  const now = gateway.clock.now()
  const actor = readActor(call)
  return changePause(operator, {
    paused_at: now,
    paused_until: now + seconds * 1000,
    paused_by: actor === '' ? null : actor,
    reason: reason ?? null,
  })
}

/**
 * Resumes writes in every process. Returns the new state of writes. Throws `VALIDATION_FAILED` and changes nothing if a
 * pause lasts that began at another time than `expected`.
 */
export async function resumeWrites(operator: Operator, expected: string | undefined) {
  return changePause(operator, undefined, expected)
}

/** Stores the change with its audit row, and announces it. This process follows it before it responds. */
async function changePause(operator: Operator, pause: WritePause | undefined, expected?: string) {
  const { gateway } = operator
  const { store, clock, upstream } = gateway
  const after = toWritesJson(upstream.writes, pause)
  await store.db.transaction().execute(async (tx) => {
    const stored = await storeWritePause(tx, store, pause)
    const lasting = stored && clock.now() < stored.paused_until ? stored : undefined
    if (lasting) requirePause(lasting, expected)
    if (!pause && !lasting) return
    await recordChange(operator, tx, { before: toWritesJson(upstream.writes, lasting), after })
  })
  gateway.nudge('writes')
  await upstream.writes.follow()
  return after
}

/** Throws unless the pause that lasts is the expected one; without an expectation, any is. */
function requirePause({ paused_at }: WritePause, expected: string | undefined): void {
  if (expected === undefined || Date.parse(expected) === paused_at) return
  throw new GatewayError('VALIDATION_FAILED', {
    param: 'expected_paused_at',
    reason: 'invalid_field',
    say: ['pause_changed_since', { paused_at: formatInstant(paused_at) }],
  })
}
