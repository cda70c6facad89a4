import { getRouteApi, Link } from '@tanstack/react-router'
import type { RowOf } from '../api/client.ts'
import { useChange, useRead } from '../api/hooks.ts'
import { Action } from '../parts/action.tsx'
import { type Column, DataList } from '../parts/data-table.tsx'
import { Filters } from '../parts/filters.tsx'
import { Page } from '../parts/page.tsx'
import { CursorPager } from '../parts/pager.tsx'
import { SortButton, toSort } from '../parts/sort.tsx'
import { Empty } from '../parts/states.tsx'
import { Id, State, Time } from '../parts/values.tsx'
import { useTexts } from '../texts/texts.ts'

type Hold = RowOf<'/admin/api/holds'>

const route = getRouteApi('/holds')
const sources = ['dropship_preview', 'reservation', 'order'] as const
const states = ['reserved', 'confirmed', 'cancelled'] as const
const pageSize = 50

/** Stock that is held for previews, reservations and drafts of every channel; releases a hold. */
export function HoldsPage() {
  const t = useTexts()
  const search = route.useSearch()
  const { cursor, sort: direction, ...filters } = search
  const sort = toSort(direction)
  const query = useRead('/admin/api/holds', {
    query: {
      ...search,
      source: sources.find((source) => source === search.source),
      status: states.find((state) => state === search.status),
      sort,
      page_size: pageSize,
    },
  })
  return (
    <Page title={t('holds')} text={t('holds_text')}>
      <Filters
        search={filters}
        fields={[
          { name: 'hold_id', label: t('hold'), kind: 'text' },
          { name: 'sku', label: t('sku'), kind: 'text' },
          { name: 'channel_code', label: t('channel'), kind: 'channel' },
          {
            name: 'status',
            label: t('state'),
            kind: 'choice',
            choices: states.map((value) => ({ value, label: t(`state_hold_${value}`) })),
          },
          {
            name: 'source',
            label: t('held_for'),
            kind: 'choice',
            choices: sources.map((value) => ({ value, label: t(`source_${value}`) })),
          },
        ]}
      />
      <div className="list-tools">
        <SortButton sort={sort} />
      </div>
      <DataList
        query={query}
        caption={t('holds')}
        columns={useHoldColumns()}
        sort={sort}
        rowKey={({ hold_id }) => hold_id}
        empty={
          <Empty
            title={t('holds_none')}
            text={t(query.data?.next_cursor ? 'holds_further' : 'holds_none_text')}
          />
        }
      >
        <CursorPager cursor={cursor} next={query.data?.next_cursor} sort={sort} />
      </DataList>
    </Page>
  )
}

function useHoldColumns(): readonly Column<Hold>[] {
  const t = useTexts()
  return [
    {
      title: t('hold'),
      render: ({ hold_id, source, source_id }) => (
        <div>
          <Id value={hold_id} />
          <div className="muted" title={source_id}>
            {t(`source_${source}`)}
          </div>
        </div>
      ),
    },
    { title: t('state'), render: ({ status }) => <State value={`hold_${status}`} /> },
    {
      title: t('channel'),
      render: ({ channel_code }) => (
        <Link to="/channels/$channel_code" params={{ channel_code }}>
          {channel_code}
        </Link>
      ),
    },
    {
      title: t('goods'),
      render: ({ lines }) =>
        lines.length > 0 && (
          <div>
            {lines.map(({ warehouse_code, sku, quantity }) => (
              <div key={`${warehouse_code} ${sku}`}>
                <b className="figure">{quantity} ×</b> <span className="mono">{sku}</span> {warehouse_code}
              </div>
            ))}
          </div>
        ),
    },
    {
      title: t('created'),
      isSorted: true,
      render: ({ created_at, expires_at, status }) => (
        <div>
          <Time at={created_at} />
          {status === 'reserved' && (
            <div className="muted">
              {t('expires')} <Time at={expires_at} />
            </div>
          )}
        </div>
      ),
    },
    {
      title: t('actions'),
      align: 'right',
      render: (hold) => hold.status === 'reserved' && <Release hold={hold} />,
    },
  ]
}

function Release({ hold: { hold_id, channel_code } }: { readonly hold: Hold }) {
  const t = useTexts()
  const release = useChange('delete', '/admin/api/holds/{hold_id}')
  return (
    <Action
      label={t('release')}
      color="red"
      variant="light"
      title={t('release_title', { channel: channel_code })}
      consequence={t('release_text')}
      run={(keyOf) => release.mutateAsync({ keyOf, params: { hold_id } })}
      done={t('released')}
    />
  )
}
