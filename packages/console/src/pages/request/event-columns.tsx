import { Link } from '@tanstack/react-router'
import type { ResultOf } from '../../api/client.ts'
import type { Column } from '../../parts/data-table.tsx'
import { Id, State, Time } from '../../parts/values.tsx'
import { useTexts } from '../../texts/texts.ts'

type CausedEvent = ResultOf<'/admin/api/requests/{request_id}', 'get'>['data']['events'][number]

/** The columns of events that a request caused or that are about an order, with their deliveries. */
export function useEventColumns(): readonly Column<CausedEvent>[] {
  const t = useTexts()
  return [
    { title: t('event'), render: ({ event_id }) => <Id value={event_id} /> },
    { title: t('type'), render: ({ type }) => <span className="mono">{type}</span> },
    { title: t('time'), render: ({ occurred_at }) => <Time at={occurred_at} /> },
    {
      title: t('deliveries'),
      wraps: true,
      render: ({ deliveries }) =>
        deliveries.length === 0
          ? t('deliveries_none_short')
          : deliveries.map(({ delivery_id, status, attempts, last_status }) => (
              <div key={delivery_id} className="inline">
                <State value={status} />
                <Link to="/deliveries/$delivery_id" params={{ delivery_id }} className="mono">
                  {delivery_id}
                </Link>
                <span className="muted">{t('attempts_of', { n: attempts, status: last_status ?? '–' })}</span>
              </div>
            )),
    },
  ]
}
