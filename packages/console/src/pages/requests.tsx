import { Button, Switch } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { errorCodes } from '../api/error-codes.ts'
import { useRead } from '../api/hooks.ts'
import { useColumns } from '../parts/columns.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { Filters } from '../parts/filters.tsx'
import { Page } from '../parts/page.tsx'
import { CursorPager } from '../parts/pager.tsx'
import { type Sort, SortButton, toSort } from '../parts/sort.tsx'
import { Empty, Read } from '../parts/states.tsx'
import { useTexts } from '../texts/texts.ts'
import { type LoggedRequest, toRequestKey, useRequestColumns } from './request/columns.tsx'
import { useLiveRows } from './request/live-rows.ts'

const route = getRouteApi('/requests')
const pageSize = 50
const liveMs = 2_000

/** The request log: filters and pages in the address; live, the newest rows appear by themselves. */
export function RequestsPage() {
  const t = useTexts()
  const navigate = route.useNavigate()
  const { live, failed, sort: direction, ...search } = route.useSearch()
  const sort = toSort(direction)
  const isLive = live !== undefined && search.cursor === undefined && sort === 'newest'
  const query = useRead(
    '/admin/api/requests',
    {
      query: {
        ...search,
        ...(failed === undefined ? {} : { failed: failed === 'true' }),
        sort,
        page_size: pageSize,
      },
    },
    { everyMs: isLive ? liveMs : false },
  )
  const choices = [{ value: 'true', label: t('only_failed') }]
  const toggle = (
    <Switch
      label={t('live')}
      checked={isLive}
      onChange={(event) => {
        const on = event.currentTarget.checked
        void navigate({
          search: (before) => ({
            ...before,
            live: on ? 'true' : undefined,
            cursor: undefined,
            sort: undefined,
          }),
        })
      }}
    />
  )
  return (
    <Page title={t('requests')} text={t('requests_text')} actions={toggle}>
      <Filters
        search={{ ...search, failed }}
        fields={[
          { name: 'request_id', label: t('request_id'), kind: 'text' },
          { name: 'client_order_number', label: t('client_number'), kind: 'text' },
          { name: 'failed', label: t('outcome'), kind: 'choice', choices },
          {
            name: 'code',
            label: t('error_code'),
            kind: 'choice',
            choices: errorCodes.map((value) => ({ value, label: value })),
          },
          { name: 'channel_code', label: t('channel'), kind: 'channel' },
          { name: 'route', label: t('route'), kind: 'text' },
          { name: 'since', label: t('since'), kind: 'time' },
          { name: 'until', label: t('until'), kind: 'time' },
        ]}
      />
      <Read query={query} lines={9}>
        {({ data, next_cursor }) => (
          <>
            <RequestRows
              rows={data}
              sort={sort}
              isLive={isLive}
              isStale={query.isPlaceholderData && !isLive}
            />
            {!isLive && <CursorPager cursor={search.cursor} next={next_cursor} sort={sort} />}
          </>
        )}
      </Read>
    </Page>
  )
}

interface RowsProps {
  readonly rows: readonly LoggedRequest[]
  readonly sort: Sort
  readonly isLive: boolean
  readonly isStale: boolean
}

function RequestRows({ rows, sort, isLive, isStale }: RowsProps) {
  const t = useTexts()
  const columns = useColumns('requests', useRequestColumns())
  const { shown, waiting, showNew } = useLiveRows(rows, toRequestKey, isLive)
  return (
    <>
      {waiting > 0 && (
        <Button className="new-pill" radius="xl" onClick={showNew}>
          {t(waiting >= pageSize ? 'new_rows_many' : 'new_rows', { n: waiting })}
        </Button>
      )}
      <div className="list-tools">
        <SortButton sort={sort} />
        {columns.menu}
      </div>
      <DataTable
        caption={t('requests')}
        columns={columns.shown}
        sort={sort}
        rows={shown}
        rowKey={toRequestKey}
        isStale={isStale}
        empty={<Empty title={t('requests_none')} text={t('requests_none_text')} />}
      />
    </>
  )
}
