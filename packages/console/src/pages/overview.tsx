import { Page } from '../parts/page.tsx'
import { useTexts } from '../texts/texts.ts'

export function OverviewPage() {
  const t = useTexts()
  return <Page title={t('overview')}>{null}</Page>
}
