import { Switch } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { RowOf } from '../api/client.ts'
import { useRead } from '../api/hooks.ts'
import { type Column, DataList, rowLink } from '../parts/data-table.tsx'
import { Filters } from '../parts/filters.tsx'
import { Page } from '../parts/page.tsx'
import { CursorPager } from '../parts/pager.tsx'
import { SortButton, toSort } from '../parts/sort.tsx'
import { Empty } from '../parts/states.tsx'
import { StatusCode, Time } from '../parts/values.tsx'
import { useTexts } from '../texts/texts.ts'
import { ExportAudit } from './audit/export.tsx'
import { VerifyAudit } from './audit/verify.tsx'

type AuditRow = RowOf<'/admin/api/audit'>

const route = getRouteApi('/audit')
const pageSize = 50

/** Who did what with the admin token; verifies that the log is whole, and exports it. Shows changes unless asked for all. */
export function AuditPage() {
  const t = useTexts()
  const { cursor, changes, sort: direction, ...filters } = route.useSearch()
  const sort = toSort(direction)
  const isForChanges = changes !== 'false'
  const filter = { ...filters, changes: isForChanges }
  const query = useRead('/admin/api/audit', { query: { ...filter, sort, cursor, page_size: pageSize } })
  return (
    <Page
      title={t('audit')}
      text={t('audit_text')}
      actions={
        <>
          <ChangesSwitch isOn={isForChanges} />
          <ExportAudit filters={{ ...filters, changes: String(isForChanges) }} />
          <VerifyAudit />
        </>
      }
    >
      <Filters
        search={filters}
        fields={[
          { name: 'actor', label: t('who'), kind: 'text' },
          { name: 'action', label: t('action'), kind: 'text' },
          { name: 'subject', label: t('subject_begins'), kind: 'text' },
          // Only a link narrows the list so.
          ...(filters.within ? [{ name: 'within', label: t('subject_within'), kind: 'text' as const }] : []),
          { name: 'since', label: t('since'), kind: 'time' },
          { name: 'until', label: t('until'), kind: 'time' },
        ]}
      />
      <div className="list-tools">
        <SortButton sort={sort} />
      </div>
      <DataList
        query={query}
        caption={t('audit')}
        columns={useAuditColumns()}
        sort={sort}
        rowKey={({ audit_id }) => audit_id}
        empty={
          <Empty
            title={t('audit_none')}
            text={t(isForChanges ? 'audit_no_changes_text' : 'audit_none_text')}
          />
        }
      >
        <CursorPager cursor={cursor} next={query.data?.next_cursor} sort={sort} />
      </DataList>
    </Page>
  )
}

/** Hides reads and refused calls, of which there are many for each change. */
function ChangesSwitch({ isOn }: { readonly isOn: boolean }) {
  const t = useTexts()
  const navigate = route.useNavigate()
  return (
    <Switch
      label={t('audit_changes')}
      checked={isOn}
      onChange={(event) => {
        const changes = event.currentTarget.checked ? undefined : 'false'
        void navigate({ search: (before) => ({ ...before, changes, cursor: undefined }) })
      }}
    />
  )
}

function useAuditColumns(): readonly Column<AuditRow>[] {
  const t = useTexts()
  return [
    {
      title: t('time'),
      isSorted: true,
      render: ({ at, audit_id }) => (
        <Link to="/audit/$audit_id" params={{ audit_id }} {...rowLink}>
          <Time at={at} />
        </Link>
      ),
    },
    { title: t('who'), render: ({ actor }) => actor },
    { title: t('action'), render: ({ action }) => <span className="mono">{action}</span> },
    {
      title: t('subject'),
      render: ({ subject }) => (
        <span className="mono" title={subject}>
          {subject}
        </span>
      ),
      fills: true,
    },
    {
      title: t('result'),
      render: ({ status, code }) => status !== null && <StatusCode status={status} code={code} />,
    },
  ]
}
