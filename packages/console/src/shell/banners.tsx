import { Alert } from '@mantine/core'
import { useRead } from '../api/hooks.ts'
import { formatTime, locales } from '../parts/formats.ts'
import { useLanguage } from '../texts/language.ts'
import { useTexts } from '../texts/texts.ts'
import { useStatus } from './status.ts'

const everyMs = 15_000

/** What everybody who uses the console must know now: read-only mode, paused writes, an ERP that does not respond. */
export function Banners() {
  const t = useTexts()
  const { status, silentSince } = useStatus()
  const { pausedUntil } = usePause()
  const language = useLanguage()
  const isAway =
    status !== undefined &&
    (status.upstream.circuit !== 'closed' || status.upstream.verdict === 'does_not_answer')
  return (
    <>
      {silentSince !== undefined && (
        <Alert color="red" className="banner" role="alert">
          {t('banner_silent', { time: formatTime(new Date(silentSince).toISOString(), 'second', language) })}
        </Alert>
      )}
      {status?.writes_enabled === false && (
        <Alert color="orange" className="banner">
          {t('banner_read_only')}
        </Alert>
      )}
      {pausedUntil && (
        <Alert color="orange" className="banner">
          {t('banner_paused', { time: new Date(pausedUntil).toLocaleString(locales[language]) })}
        </Alert>
      )}
      {isAway && (
        <Alert color="red" className="banner">
          {t('banner_erp')}
        </Alert>
      )}
    </>
  )
}

interface Pause {
  /** Until when an operator has paused writes to the ERP; nothing if they are not paused. */
  readonly pausedUntil: string | null | undefined
  /** Whether the newest read of it succeeded. */
  readonly isKnown: boolean
}

export function usePause(): Pause {
  const { data, isSuccess } = useRead('/admin/api/upstream', {}, { everyMs })
  return { pausedUntil: data?.data.writes.paused_until, isKnown: isSuccess }
}
