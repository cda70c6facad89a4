import { Link } from '@tanstack/react-router'
import { useRead } from '../../api/hooks.ts'
import { useColumns } from '../../parts/columns.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Section } from '../../parts/page.tsx'
import { Empty, Read } from '../../parts/states.tsx'
import { useTexts } from '../../texts/texts.ts'
import { toRequestKey, useRequestColumns } from '../request/columns.tsx'

const shownRequests = 50

interface NoOrdersProps {
  readonly channelCode: string | undefined
  /** The client's number that was searched. */
  readonly number: string | undefined
}

/** No order matches. A refused order has no row of its own, so this shows or leads to the requests. */
export function NoOrders({ channelCode, number }: NoOrdersProps) {
  if (number === undefined) return <NoneAtAll channelCode={channelCode} />
  // The requests of the previous number would stay until those of this one are read.
  return <RequestsThatNamed key={`${channelCode} ${number}`} channelCode={channelCode} number={number} />
}

function NoneAtAll({ channelCode }: Pick<NoOrdersProps, 'channelCode'>) {
  const t = useTexts()
  const link = (
    <Link to="/requests" search={{ channel_code: channelCode, failed: 'true' }}>
      {t('orders_refused')}
    </Link>
  )
  return <Empty title={t('orders_none')} text={t('orders_none_text')} action={link} />
}

interface NamedProps extends NoOrdersProps {
  readonly number: string
}

function RequestsThatNamed({ channelCode, number }: NamedProps) {
  const t = useTexts()
  const { shown: columns } = useColumns('requests', useRequestColumns())
  const query = useRead('/admin/api/requests', {
    query: { client_order_number: number, channel_code: channelCode, page_size: shownRequests },
  })
  return (
    <Read query={query}>
      {({ data }) =>
        data.length === 0 ? (
          <NoneAtAll channelCode={channelCode} />
        ) : (
          <Section title={t('orders_named')} text={t('orders_named_text')}>
            <DataTable
              caption={t('requests')}
              columns={columns}
              rows={data}
              rowKey={toRequestKey}
              empty={null}
            />
          </Section>
        )
      }
    </Read>
  )
}
