import { Badge, Group } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { RowOf } from '../api/client.ts'
import { useChange, useRead } from '../api/hooks.ts'
import { Action } from '../parts/action.tsx'
import { type Column, DataList } from '../parts/data-table.tsx'
import { Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'
import { Id, Time } from '../parts/values.tsx'
import { useTexts } from '../texts/texts.ts'

type Doubt = RowOf<'/admin/api/writes-in-doubt'>

const everyMs = 10_000

/** Writes that were sent to the ERP and whose outcome is not known; a person who looked there can settle them. */
export function DoubtsPage() {
  const t = useTexts()
  const query = useRead('/admin/api/writes-in-doubt', {}, { everyMs })
  const columns: readonly Column<Doubt>[] = [
    {
      title: t('document'),
      render: ({ document_id }) => <Id value={document_id} />,
    },
    { title: t('write'), render: ({ kind }) => <span className="mono">{kind}</span> },
    { title: t('reference'), render: ({ reference }) => <Id value={reference} /> },
    { title: t('channel'), render: ({ channel_code }) => channel_code },
    {
      title: t('request'),
      render: ({ request_id }) => (
        <Link to="/requests/$request_id" params={{ request_id }} className="mono">
          {request_id}
        </Link>
      ),
    },
    { title: t('sent'), render: ({ sent_at }) => <Time at={sent_at} /> },
    { title: t('looked_up'), render: ({ looked_up_at }) => looked_up_at && <Time at={looked_up_at} /> },
    {
      title: t('settled_by'),
      render: ({ settled_by }) => (
        <Badge color={settled_by === 'person' ? 'orange' : 'blue'}>{t(`settled_by_${settled_by}`)}</Badge>
      ),
    },
    { title: t('actions'), align: 'right', render: (doubt) => <Settle doubt={doubt} /> },
  ]
  return (
    <Page title={t('doubts')} text={t('doubts_text')}>
      <DataList
        query={query}
        caption={t('doubts')}
        columns={columns}
        rowKey={({ document_id, kind }) => `${document_id} ${kind}`}
        empty={<Empty title={t('doubts_none')} text={t('doubts_none_text')} />}
      />
    </Page>
  )
}

/** Settles a write by what a person found in the ERP. */
export function Settle({ doubt }: { readonly doubt: Pick<Doubt, 'document_id' | 'reference'> }) {
  const t = useTexts()
  const { document_id, reference } = doubt
  const settle = useChange('post', '/admin/api/writes-in-doubt/{document_id}/settle')
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
      <Action
        label={t('settle_found')}
        variant="light"
        color="brand"
        title={t('settle_found_title', { reference })}
        consequence={t('settle_found_text')}
        run={() => settle.mutateAsync({ params: { document_id }, body: { outcome: 'found' } })}
        done={t('settled')}
      />
      <Action
        label={t('settle_absent')}
        variant="light"
        color="red"
        title={t('settle_absent_title', { reference })}
        consequence={t('settle_absent_text')}
        run={() => settle.mutateAsync({ params: { document_id }, body: { outcome: 'absent' } })}
        done={t('settled')}
      />
    </Group>
  )
}
