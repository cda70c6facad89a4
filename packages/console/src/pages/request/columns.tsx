import { Link } from '@tanstack/react-router'
import type { RowOf } from '../../api/client.ts'
import type { NamedColumn } from '../../parts/columns.tsx'
import { rowLink } from '../../parts/data-table.tsx'
import { Duration, Figure, StatusCode, Time } from '../../parts/values.tsx'
import { useTexts } from '../../texts/texts.ts'

export type LoggedRequest = RowOf<'/admin/api/requests'>

/** The columns of logged requests. */
export function useRequestColumns(): readonly NamedColumn<LoggedRequest>[] {
  const t = useTexts()
  return [
    {
      title: t('time'),
      isSorted: true,
      render: ({ at, request_id }) => (
        <Link to="/requests/$request_id" params={{ request_id }} {...rowLink}>
          <Time at={at} />
        </Link>
      ),
    },
    {
      name: 'result',
      title: t('result'),
      render: ({ status, code }) => <StatusCode status={status} code={code} />,
    },
    { name: 'route', title: t('route'), fills: true, render: (request) => <Route {...request} /> },
    {
      name: 'channel',
      title: t('channel'),
      render: (request) => request.channel_code ?? <NoChannel {...request} />,
    },
    {
      name: 'duration',
      title: t('duration'),
      render: ({ duration_ms }) => <Duration ms={duration_ms} />,
      align: 'right',
    },
    {
      name: 'client_number',
      isExtra: true,
      title: t('client_number'),
      render: ({ client_order_number: number }) => number && <span className="mono">{number}</span>,
    },
    { name: 'account', isExtra: true, title: t('account'), render: ({ account_id }) => account_id },
    {
      name: 'request_id',
      isExtra: true,
      title: t('request_id'),
      render: ({ request_id }) => <span className="mono">{request_id}</span>,
    },
    {
      name: 'erp_time',
      title: t('erp_time'),
      render: ({ upstream_ms }) => upstream_ms !== 0 && <Duration ms={upstream_ms} />,
      align: 'right',
    },
    { name: 'points', title: t('points'), render: ({ points }) => <Figure value={points} />, align: 'right' },
  ]
}

/** Why a request has no channel: it is an operator's, or it had no valid token. */
export function NoChannel({ route, status }: Pick<LoggedRequest, 'route' | 'status'>) {
  const t = useTexts()
  const isOperator = route.startsWith('/admin/') && status !== 401
  return <span className="muted">{t(isOperator ? 'operator' : 'no_token')}</span>
}

export function Route({ method, route }: Pick<LoggedRequest, 'method' | 'route'>) {
  const t = useTexts()
  return (
    <span className="mono" title={route}>
      <b>{method}</b> {route || t('no_route')}
    </span>
  )
}

/** A request id is the client's and may repeat, so the time and the route belong to the key of a row. */
export function toRequestKey({ request_id, at, method, route, duration_ms }: LoggedRequest): string {
  return `${request_id} ${at} ${method} ${route} ${duration_ms}`
}
