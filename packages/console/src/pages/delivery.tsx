import { Code } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { ResultOf } from '../api/client.ts'
import { useChange, useRead } from '../api/hooks.ts'
import { Action } from '../parts/action.tsx'
import { Facts, Page, Section } from '../parts/page.tsx'
import { Read } from '../parts/states.tsx'
import { Figure, Id, State, Time } from '../parts/values.tsx'
import { useTexts } from '../texts/texts.ts'

type Delivery = ResultOf<'/admin/api/webhook-deliveries/{delivery_id}', 'get'>['data']

const route = getRouteApi('/deliveries/$delivery_id')
const pendingEveryMs = 15_000
/** Short, because who redelivers an event waits here for its outcome. */
const redeliveredEveryMs = 2_000
const redeliveredForMs = 60_000

/** One delivery: its attempts, the event's data and the request that caused it; sends it again. */
export function DeliveryPage() {
  const t = useTexts()
  const { delivery_id } = route.useParams()
  const [redeliveredAt, setRedeliveredAt] = useState(Number.NEGATIVE_INFINITY)
  const query = useRead(
    '/admin/api/webhook-deliveries/{delivery_id}',
    { params: { delivery_id } },
    {
      everyMs: (result) => {
        if (result?.data.status !== 'pending') return false
        return Date.now() < redeliveredAt + redeliveredForMs ? redeliveredEveryMs : pendingEveryMs
      },
    },
  )
  const redeliver = useChange('post', '/admin/api/webhook-deliveries/{delivery_id}/redeliver')
  const url = query.data?.data.url ?? ''
  return (
    <Page
      title={t('delivery')}
      back={<Link to="/deliveries">{t('deliveries')}</Link>}
      text={<Id value={delivery_id} />}
      actions={
        <Action
          label={t('redeliver')}
          variant="filled"
          title={t('redeliver_title')}
          consequence={t('redeliver_text', { url })}
          run={async (keyOf) => {
            await redeliver.mutateAsync({ keyOf, params: { delivery_id } })
            setRedeliveredAt(Date.now())
          }}
          done={t('redelivered')}
        />
      }
    >
      <Read query={query}>{({ data }) => <Delivery delivery={data} />}</Read>
    </Page>
  )
}

function Delivery({ delivery }: { readonly delivery: Delivery }) {
  const t = useTexts()
  const { channel_code, request_id, event_id, endpoint_id } = delivery
  return (
    <>
      <Facts
        rows={[
          [t('state'), <State key="state" value={delivery.status} />],
          [t('url'), delivery.url],
          [
            t('channel'),
            <Link key="channel" to="/channels/$channel_code" params={{ channel_code }}>
              {channel_code}
            </Link>,
          ],
          [
            t('type'),
            <span key="type" className="mono">
              {delivery.type}
            </span>,
          ],
          [t('attempts'), <Figure key="attempts" value={delivery.attempts} />],
          [t('last_response'), delivery.last_status ?? delivery.last_error],
          [t('last_attempt'), <Time key="last" at={delivery.last_attempt_at} />],
          [t('next_attempt'), <Time key="next" at={delivery.next_attempt_at} />],
          [t('created'), <Time key="created" at={delivery.created_at} form="full" />],
          [
            t('event'),
            <Link key="event" to="/deliveries" search={{ event_id }} className="mono">
              {event_id}
            </Link>,
          ],
          [
            t('endpoint_id'),
            <Link key="endpoint" to="/deliveries" search={{ endpoint_id }} className="mono">
              {endpoint_id}
            </Link>,
          ],
          [
            t('caused_by'),
            request_id && (
              <Link key="request" to="/requests/$request_id" params={{ request_id }} className="mono">
                {request_id}
              </Link>
            ),
          ],
        ]}
      />
      {delivery.last_response && (
        <Section title={t('receiver_said')} text={t('receiver_said_text')}>
          <Code block className="wrapped">
            {delivery.last_response}
          </Code>
        </Section>
      )}
      <Section title={t('event_data')} text={t('event_data_text')}>
        {delivery.data === null ? (
          <p className="muted">{t('event_data_none')}</p>
        ) : (
          <Code block className="json" tabIndex={0}>
            {JSON.stringify(delivery.data, null, 2)}
          </Code>
        )}
      </Section>
    </>
  )
}
