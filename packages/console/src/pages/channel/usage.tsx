import { Link } from '@tanstack/react-router'
import { useRead } from '../../api/hooks.ts'
import { DataList } from '../../parts/data-table.tsx'
import { Section } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { useTexts } from '../../texts/texts.ts'
import { toRequestKey, useRequestColumns } from '../request/columns.tsx'

const pageSize = 20

/** What a channel did: its figures of a day and its newest failures. */
export function Usage({ channelCode }: { readonly channelCode: string }) {
  const t = useTexts()
  const query = useRead('/admin/api/requests', {
    query: { channel_code: channelCode, failed: true, page_size: pageSize },
  })
  const link = (
    <Link to="/requests" search={{ channel_code: channelCode }}>
      {t('all_requests')}
    </Link>
  )
  return (
    <Section title={t('newest_failures')} actions={link}>
      <DataList
        query={query}
        caption={t('newest_failures')}
        columns={useRequestColumns()}
        rowKey={toRequestKey}
        empty={<Empty title={t('failures_none')} text={t('failures_none_text')} />}
      />
    </Section>
  )
}
