import { Alert, Group } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { RowOf } from '../api/client.ts'
import { useChange, useRead } from '../api/hooks.ts'
import { Action } from '../parts/action.tsx'
import { type Column, DataList } from '../parts/data-table.tsx'
import { Filters } from '../parts/filters.tsx'
import { Page } from '../parts/page.tsx'
import { NumberedPager } from '../parts/pager.tsx'
import { EmptyList } from '../parts/states.tsx'
import { State, Time } from '../parts/values.tsx'
import { useTexts } from '../texts/texts.ts'
import { lacksCustomer } from './channel/channel.ts'

type PlanRequest = RowOf<'/admin/api/plan-requests'>

const route = getRouteApi('/plan-requests')
const states = ['pending', 'approved', 'declined'] as const
const pageSize = 50

/** The plans that channels ask for; approves or declines them. */
export function PlanRequestsPage() {
  const t = useTexts()
  const { page, status } = route.useSearch()
  const asked = states.find((state) => state === status)
  const query = useRead('/admin/api/plan-requests', {
    query: { page: Number(page ?? '1'), page_size: pageSize, status: asked },
  })
  const columns: readonly Column<PlanRequest>[] = [
    {
      title: t('channel'),
      render: ({ channel_code }) => (
        <Link to="/channels/$channel_code" params={{ channel_code }}>
          {channel_code}
        </Link>
      ),
    },
    {
      title: t('plan_now'),
      render: ({ channel_plan: plan }) => plan && t(`plan_${plan}`),
    },
    { title: t('plan_wanted'), render: ({ plan }) => t(`plan_${plan}`) },
    { title: t('reason'), render: ({ reason }) => reason, wraps: true },
    { title: t('state'), render: (each) => <State value={each.status} /> },
    { title: t('created'), render: ({ created_at }) => <Time at={created_at} /> },
    { title: t('decided'), render: ({ decided_at }) => decided_at && <Time at={decided_at} /> },
    {
      title: t('actions'),
      align: 'right',
      render: (request) => request.status === 'pending' && <Decide request={request} />,
    },
  ]
  return (
    <Page title={t('plan_requests')} text={t('plan_requests_text')}>
      <Filters
        search={{ status }}
        fields={[
          {
            name: 'status',
            label: t('state'),
            kind: 'choice',
            choices: states.map((value) => ({ value, label: t(`state_${value}`) })),
          },
        ]}
      />
      <DataList
        query={query}
        caption={t('plan_requests')}
        columns={columns}
        rowKey={({ plan_request_id }) => plan_request_id}
        empty={
          <EmptyList
            filters={{ status }}
            title={t('plan_requests_none')}
            text={t('plan_requests_none_text')}
          />
        }
      >
        <NumberedPager page={page} hasMore={query.data?.has_more ?? false} />
      </DataList>
    </Page>
  )
}

function Decide({ request }: { readonly request: PlanRequest }) {
  const t = useTexts()
  const { plan_request_id, channel_code, plan } = request
  const warning = lacksCustomer(request) ? t('customer_missing', { channel: channel_code }) : undefined
  const approve = useChange('post', '/admin/api/plan-requests/{plan_request_id}/approve')
  const decline = useChange('post', '/admin/api/plan-requests/{plan_request_id}/decline')
  const params = { plan_request_id }
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
      <Action
        label={t('approve')}
        variant="light"
        color="brand"
        title={t('approve_title', { channel: channel_code, plan })}
        consequence={t('approve_text', { gains: t(`plan_${plan}_text`) })}
        run={(keyOf) => approve.mutateAsync({ keyOf, params })}
        done={[t('approved_done', { channel: channel_code, plan }), warning].filter(Boolean).join(' ')}
      >
        {warning && <Alert color="orange">{warning}</Alert>}
      </Action>
      <Action
        label={t('decline')}
        title={t('decline_title', { channel: channel_code })}
        consequence={t('decline_text')}
        run={(keyOf) => decline.mutateAsync({ keyOf, params })}
        done={t('declined_done')}
      />
    </Group>
  )
}
