import { Badge } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { RowOf } from '../../api/client.ts'
import { type Column, rowLink } from '../../parts/data-table.tsx'
import { Figure, Time } from '../../parts/values.tsx'
import { useTexts } from '../../texts/texts.ts'

export type WebhookEndpoint = RowOf<'/admin/api/webhook-endpoints'>

/** The columns of webhook endpoints; a row opens the endpoint's deliveries. */
export function useEndpointColumns(): readonly Column<WebhookEndpoint>[] {
  const t = useTexts()
  return [
    {
      title: t('url'),
      fills: true,
      render: ({ url, endpoint_id }) => (
        <Link to="/deliveries" search={{ endpoint_id }} title={url} {...rowLink}>
          {url}
        </Link>
      ),
    },
    { title: t('state'), render: (endpoint) => <Health endpoint={endpoint} /> },
    { title: t('channel'), render: ({ channel_code }) => channel_code },
    {
      title: t('events'),
      render: ({ event_types: types }) => <span className="mono">{types.join(' ')}</span>,
    },
    { title: t('waiting_deliveries'), render: ({ pending }) => <Figure value={pending} />, align: 'right' },
    { title: t('oldest'), render: ({ oldest_pending_at: at }) => at !== null && <Time at={at} /> },
    {
      title: t('dead_letters'),
      render: ({ dead_letters }) => <Figure value={dead_letters} />,
      align: 'right',
    },
    {
      title: t('last_failure'),
      render: ({ last_failure_at: at, last_failure_status: status }) =>
        at !== null && (
          <span className="inline">
            <Time at={at} />
            {status}
          </span>
        ),
    },
  ]
}

function Health({
  endpoint: { dead_letters, pending, last_failure_at },
}: {
  readonly endpoint: WebhookEndpoint
}) {
  const t = useTexts()
  if (dead_letters > 0) return <Badge color="red">{t('health_dead')}</Badge>
  if (pending > 0 && last_failure_at !== null) return <Badge color="orange">{t('health_failing')}</Badge>
  return <Badge color="green">{t('health_ok')}</Badge>
}
