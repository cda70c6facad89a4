import { Button, CopyButton, Menu } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ResultOf } from '../api/client.ts'
import { useRead } from '../api/hooks.ts'
import { DataTable } from '../parts/data-table.tsx'
import { Icon } from '../parts/icon.tsx'
import { Facts, Page, Section } from '../parts/page.tsx'
import { Empty, Read } from '../parts/states.tsx'
import { Figure, Id, StatusCode, Time } from '../parts/values.tsx'
import { useTexts } from '../texts/texts.ts'
import { NoChannel, Route } from './request/columns.tsx'
import { toCurl, toLookUpCurl } from './request/curl.ts'
import { useEventColumns } from './request/event-columns.tsx'
import { Timeline } from './request/timeline.tsx'
import { tellOutcome } from './request/told.ts'

type Trace = ResultOf<'/admin/api/requests/{request_id}', 'get'>['data']
type Logged = Trace['requests'][number]

const route = getRouteApi('/requests/$request_id')

/** The whole story of one request id: each request, its ERP calls, and the events and deliveries that followed. */
export function RequestPage() {
  const t = useTexts()
  const { request_id } = route.useParams()
  const query = useRead('/admin/api/requests/{request_id}', { params: { request_id } })
  return (
    <Page
      title={t('request')}
      back={<Link to="/requests">{t('requests')}</Link>}
      text={<Id value={request_id} />}
      actions={<CopyMenu requestId={request_id} first={query.data?.data.requests[0]} />}
    >
      <Read query={query}>{({ data }) => <Story trace={data} />}</Read>
    </Page>
  )
}

function Story({ trace: { requests, events } }: { readonly trace: Trace }) {
  const t = useTexts()
  const columns = useEventColumns()
  return (
    <>
      {requests.length > 1 && <p className="muted">{t('request_repeats', { n: requests.length })}</p>}
      {requests.map((each) => (
        <OneRequest key={`${each.at} ${each.method} ${each.route} ${each.duration_ms}`} request={each} />
      ))}
      <Section title={t('events')} text={t('events_text')}>
        <DataTable
          caption={t('events')}
          columns={columns}
          rows={events}
          rowKey={({ event_id }) => event_id}
          empty={<Empty title={t('events_none')} text={t('events_none_text')} />}
        />
      </Section>
    </>
  )
}

function OneRequest({ request }: { readonly request: Logged }) {
  const t = useTexts()
  const { channel_code, account_id, idempotency, client_order_number: number } = request
  const told = tellOutcome(request)
  return (
    <article className="story">
      <h2 className="story-title">
        <StatusCode status={request.status} code={request.code} />
        <Route {...request} />
      </h2>
      <p>{'reason' in told ? t('told_erp_refused', { reason: t(told.reason) }) : t(told.text)}</p>
      <Facts
        rows={[
          [t('time'), <Time key="at" at={request.at} form="full" />],
          [
            t('channel'),
            channel_code === null ? (
              <NoChannel key="channel" {...request} />
            ) : (
              <ChannelLinks key="channel" code={channel_code} />
            ),
          ],
          [t('account'), account_id],
          [t('client_number'), number && <NumberLink key="number" number={number} />],
          [t('points'), <Figure key="points" value={request.points} />],
          [t('idempotency'), idempotency && t(`idempotency_${idempotency}_text`)],
          [t('error_code'), request.code && <ErrorLink key="code" code={request.code} />],
        ]}
      />
      <Timeline request={request} />
    </article>
  )
}

function ChannelLinks({ code }: { readonly code: string }) {
  const t = useTexts()
  return (
    <span className="inline">
      <Link to="/channels/$channel_code" params={{ channel_code: code }}>
        {code}
      </Link>
      <Link to="/requests" search={{ channel_code: code, failed: 'true' }} className="muted">
        {t('its_failures')}
      </Link>
    </span>
  )
}

/** The client's number, with the orders that have it; without one, with the other requests that named it. */
function NumberLink({ number }: { readonly number: string }) {
  return (
    <Link to="/orders" search={{ client_order_number: number }} className="mono">
      {number}
    </Link>
  )
}

/** The code, with the page that explains it and the other requests that failed with it. */
function ErrorLink({ code }: { readonly code: string }) {
  const t = useTexts()
  return (
    <span className="inline">
      <a href={`/errors/${code}`} target="_blank" rel="noreferrer" className="mono">
        {code}
      </a>
      <Link to="/requests" search={{ code }} className="muted">
        {t('same_code')}
      </Link>
    </span>
  )
}

function CopyMenu({ requestId, first }: { readonly requestId: string; readonly first: Logged | undefined }) {
  const t = useTexts()
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name="copy" />}>
          {t('copy_as')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {first && <CopyItem label={t('copy_curl')} value={toCurl(first)} />}
        <CopyItem label={t('copy_look_up')} value={toLookUpCurl(requestId)} />
        <CopyItem label={t('copy_link')} value={location.href} />
      </Menu.Dropdown>
    </Menu>
  )
}

function CopyItem({ label, value }: { readonly label: string; readonly value: string }) {
  const t = useTexts()
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Menu.Item onClick={copy} closeMenuOnClick={false}>
          {copied ? t('copied') : label}
        </Menu.Item>
      )}
    </CopyButton>
  )
}
