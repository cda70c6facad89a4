import type { Gateway } from '../gateway.ts'
import { formatInstant } from '../kernel/clock.ts'

/** How long before their end tokens of the legacy gateway are mentioned at each start. */
const noticeMs = 14 * 24 * 60 * 60_000

/** Warns the operator at a start that tokens of the legacy gateway end soon, or that they have ended. */
export function warnOfLegacyEnd({ config, clock, log }: Pick<Gateway, 'config' | 'clock' | 'log'>): void {
  const { secret, until } = config.legacyTokens
  const left = until - clock.now()
  if (secret === undefined || left > noticeMs) return
  const end = formatInstant(until)
  log.warn(
    {},
    left < 0
      ? `tokens of the legacy gateway have ended at ${end}: LEGACY_TOKEN_SECRET can be removed`
      : `tokens of the legacy gateway end at ${end}: GET /admin/api/legacy-use lists the channels that still use them`,
  )
}
