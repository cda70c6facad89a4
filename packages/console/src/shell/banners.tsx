import { Alert } from '@mantine/core'
import { useRead } from '../api/hooks.ts'
import { locales } from '../parts/formats.ts'
import { useLanguage } from '../texts/language.ts'
import { useTexts } from '../texts/texts.ts'
import { useStatus } from './status.ts'

const everyMs = 15_000

/** What everybody who uses the console must know now: read-only mode, paused writes, an ERP that does not respond. */
export function Banners() {
  const t = useTexts()
  const status = useStatus()
  const pausedUntil = usePause()
  const language = useLanguage()
  const isAway =
    status !== undefined &&
    (status.upstream.circuit !== 'closed' || status.upstream.verdict === 'does_not_answer')
  return (
    <>
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

/** Until when an operator has paused writes to the ERP; nothing if they are not paused. */
export function usePause(): string | null | undefined {
  return useRead('/admin/api/upstream', {}, { everyMs }).data?.data.writes.paused_until
}
