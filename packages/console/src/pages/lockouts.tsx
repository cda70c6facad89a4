import { getRouteApi } from '@tanstack/react-router'
import type { RowOf } from '../api/client.ts'
import { useChange, useRead } from '../api/hooks.ts'
import { Action } from '../parts/action.tsx'
import { type Column, DataList } from '../parts/data-table.tsx'
import { Page } from '../parts/page.tsx'
import { CursorPager } from '../parts/pager.tsx'
import { Empty } from '../parts/states.tsx'
import { Figure, Time } from '../parts/values.tsx'
import { useTexts } from '../texts/texts.ts'

type Lockout = RowOf<'/admin/api/lockouts'>

const route = getRouteApi('/locked-accounts')
const pageSize = 50
const everyMs = 10_000

/** OMS accounts and addresses that are locked out after wrong passwords; unlocks them. */
export function LockoutsPage() {
  const t = useTexts()
  const { cursor } = route.useSearch()
  const query = useRead('/admin/api/lockouts', { query: { cursor, page_size: pageSize } }, { everyMs })
  const unlock = useChange('delete', '/admin/api/lockouts/{lockout_id}')
  const columns: readonly Column<Lockout>[] = [
    { title: t('locked_out'), render: (lockout) => <b>{nameOf(lockout)}</b>, wraps: true },
    { title: t('kind'), render: ({ kind }) => t(`lockout_${kind}`) },
    { title: t('wrong_tries'), render: ({ failures }) => <Figure value={failures} />, align: 'right' },
    { title: t('last_failure'), render: ({ last_failed_at }) => <Time at={last_failed_at} /> },
    { title: t('locked_until'), render: ({ locked_until }) => <Time at={locked_until} /> },
    {
      title: t('actions'),
      align: 'right',
      render: (lockout) => (
        <Action
          label={t('unlock')}
          title={t('unlock_title', { name: nameOf(lockout) })}
          consequence={t('unlock_text')}
          run={(keyOf) => unlock.mutateAsync({ keyOf, params: { lockout_id: lockout.lockout_id } })}
          done={t('unlocked')}
        />
      ),
    },
  ]
  return (
    <Page title={t('lockouts')} text={t('lockouts_text')}>
      <DataList
        query={query}
        caption={t('lockouts')}
        columns={columns}
        rowKey={({ lockout_id }) => lockout_id}
        empty={<Empty title={t('lockouts_none')} text={t('lockouts_none_text')} />}
      >
        <CursorPager cursor={cursor} next={query.data?.next_cursor} />
      </DataList>
    </Page>
  )
}

function nameOf({ username_hint, address }: Lockout): string {
  return username_hint ?? address ?? '–'
}
