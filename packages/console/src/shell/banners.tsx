import { Alert } from '@mantine/core'
import { useTexts } from '../texts/texts.ts'
import { useStatus } from './status.ts'

/** What everybody who uses the console must know now: read-only mode, an ERP that does not respond. */
export function Banners() {
  const t = useTexts()
  const status = useStatus()
  if (!status) return null
  const isAway = status.upstream.circuit !== 'closed' || status.upstream.verdict === 'does_not_answer'
  return (
    <>
      {!status.writes_enabled && (
        <Alert color="orange" className="banner">
          {t('banner_read_only')}
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
