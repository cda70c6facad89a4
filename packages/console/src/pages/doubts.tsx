import { Link } from '@tanstack/react-router'
import type { RowOf } from '../api/client.ts'
import { useRead } from '../api/hooks.ts'
import { type Column, DataList, rowLink } from '../parts/data-table.tsx'
import { Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'
import { Id, Time } from '../parts/values.tsx'
import { useTexts } from '../texts/texts.ts'
import { nameKind } from './doubt/kind.ts'
import { Settle } from './doubt/settle.tsx'

type Doubt = RowOf<'/admin/api/writes-in-doubt'>

const everyMs = 10_000

/** Writes that were sent to the ERP and whose outcome is not known; a person who looked there can settle them. */
export function DoubtsPage() {
  const t = useTexts()
  const query = useRead('/admin/api/writes-in-doubt', {}, { everyMs })
  const columns: readonly Column<Doubt>[] = [
    {
      title: t('document'),
      render: ({ document_id, kind }) => (
        <div>
          <DocumentId id={document_id} />
          <div className="muted">{nameKind(kind, t)}</div>
        </div>
      ),
    },
    {
      title: t('client_number'),
      wraps: true,
      render: ({ client_order_number: number }) => number && <span className="mono">{number}</span>,
    },
    {
      title: t('reference'),
      render: ({ reference, settled_by }) => (
        <div>
          <Id value={reference} />
          <div className="muted">
            {t('settled_by')} <b>{t(`settled_by_${settled_by}`)}</b>
          </div>
        </div>
      ),
    },
    {
      title: t('channel'),
      render: ({ channel_code, request_id }) => (
        <div>
          {channel_code}
          <div>
            <Link to="/requests/$request_id" params={{ request_id }} title={request_id}>
              {t('request')}
            </Link>
          </div>
        </div>
      ),
    },
    {
      title: t('sent'),
      render: ({ sent_at, looked_up_at: at }) => (
        <div>
          <Time at={sent_at} />
          {at !== null && (
            <div className="muted">
              {t('looked_up')} <Time at={at} />
            </div>
          )}
        </div>
      ),
    },
    {
      title: t('actions'),
      align: 'right',
      render: (doubt) => <Settle documentId={doubt.document_id} write={doubt} />,
    },
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

/** The id of a document, as a link if it is an order, which has a page: a reservation or a hold has none. */
function DocumentId({ id }: { readonly id: string }) {
  if (!/^(?:ord|dso)_/.test(id)) return <Id value={id} />
  return (
    <Link to="/orders/$order_id" params={{ order_id: id }} {...rowLink} className="mono">
      {id}
    </Link>
  )
}
