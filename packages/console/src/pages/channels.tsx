import { Badge, Button, Group } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useRead } from '../api/hooks.ts'
import { type Column, DataList, rowLink } from '../parts/data-table.tsx'
import { Page } from '../parts/page.tsx'
import { NumberedPager } from '../parts/pager.tsx'
import { Empty } from '../parts/states.tsx'
import { Figure, State, Time } from '../parts/values.tsx'
import { useTexts } from '../texts/texts.ts'
import { type Channel, functionNames, readState } from './channel/channel.ts'
import { NewChannel } from './channel/new-channel.tsx'

const route = getRouteApi('/channels')
const pageSize = 50

export function ChannelsPage() {
  const t = useTexts()
  const { page, create } = route.useSearch()
  const navigate = route.useNavigate()
  const query = useRead('/admin/api/channels', { query: { page: Number(page ?? '1'), page_size: pageSize } })
  const openForm = () => navigate({ search: (search) => ({ ...search, create: 'true' }) })
  const columns: readonly Column<Channel>[] = [
    {
      title: t('channel'),
      render: ({ channel_code }) => (
        <Link to="/channels/$channel_code" params={{ channel_code }} {...rowLink}>
          {channel_code}
        </Link>
      ),
    },
    { title: t('name'), render: ({ name }) => name, wraps: true },
    { title: t('state'), render: (channel) => <State value={readState(channel)} /> },
    { title: t('plan'), render: ({ plan }) => t(`plan_${plan}`) },
    { title: t('functions'), render: (channel) => <Functions channel={channel} /> },
    {
      title: t('warehouses'),
      render: ({ warehouse_allowlist: list }) => (list.length === 0 ? t('all_warehouses') : list.join(', ')),
      wraps: true,
    },
    { title: t('customer'), render: ({ customer_code }) => customer_code ?? '–' },
    {
      title: t('points_per_minute'),
      render: ({ points_per_minute: points }) => (points === null ? t('default') : <Figure value={points} />),
      align: 'right',
    },
    { title: t('changed'), render: ({ updated_at }) => <Time at={updated_at} form="day" />, align: 'right' },
  ]
  const button = (
    <Button variant="filled" onClick={openForm}>
      {t('channel_new')}
    </Button>
  )
  return (
    <Page title={t('channels')} text={t('channels_text')} actions={button}>
      <DataList
        query={query}
        caption={t('channels')}
        columns={columns}
        rowKey={({ channel_code }) => channel_code}
        empty={<Empty title={t('channels_none')} text={t('channels_none_text')} action={button} />}
      >
        <NumberedPager page={page} hasMore={query.data?.has_more ?? false} />
      </DataList>
      <NewChannel
        opened={create !== undefined}
        close={() => navigate({ search: (search) => ({ ...search, create: undefined }) })}
      />
    </Page>
  )
}

function Functions({ channel }: { readonly channel: Channel }) {
  const t = useTexts()
  const enabled = functionNames.filter((name) => channel[name])
  if (enabled.length === functionNames.length) return t('all_functions')
  return (
    <Group gap={4}>
      {enabled.map((name) => (
        <Badge key={name} color="gray">
          {t(name)}
        </Badge>
      ))}
    </Group>
  )
}
