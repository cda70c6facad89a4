import type { RowOf } from '../api/client.ts'
import { useRead } from '../api/hooks.ts'
import { type Column, DataList } from '../parts/data-table.tsx'
import { Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'
import { Figure, Time } from '../parts/values.tsx'
import { useTexts } from '../texts/texts.ts'

type PageVotes = RowOf<'/admin/api/feedback'>

const verdicts = ['helpful', 'unclear', 'incomplete', 'wrong', 'other'] as const

/** How readers rated the pages of the documentation, those with the most complaints first. */
export function FeedbackPage() {
  const t = useTexts()
  const query = useRead('/admin/api/feedback', {})
  const columns: readonly Column<PageVotes>[] = [
    { title: t('page_of_docs'), render: ({ page }) => <a href={page}>{page}</a>, wraps: true },
    ...verdicts.map(
      (verdict): Column<PageVotes> => ({
        title: t(`verdict_${verdict}`),
        render: (votes) => <Figure value={votes[verdict]} />,
        align: 'right',
      }),
    ),
    { title: t('last_vote'), render: ({ last_at }) => <Time at={last_at} form="utcDay" /> },
  ]
  return (
    <Page title={t('feedback')} text={t('feedback_text')}>
      <DataList
        query={query}
        caption={t('feedback')}
        columns={columns}
        rowKey={({ page }) => page}
        empty={<Empty title={t('feedback_none')} text={t('feedback_none_text')} />}
      />
    </Page>
  )
}
