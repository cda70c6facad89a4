import { Alert } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { RowOf } from '../api/client.ts'
import { useRead } from '../api/hooks.ts'
import { type Column, DataList } from '../parts/data-table.tsx'
import { Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'
import { Figure, Time } from '../parts/values.tsx'
import { useTexts } from '../texts/texts.ts'

type LegacyUse = RowOf<'/admin/api/legacy-use'>

const maxPaths = 5

/** Who has used legacy tokens and `/Api/*`, and must move: legacy tokens end, or have ended. */
export function LegacyPage() {
  const t = useTexts()
  const query = useRead('/admin/api/legacy-use', {})
  const columns: readonly Column<LegacyUse>[] = [
    {
      title: t('channel'),
      render: ({ channel_code }) =>
        channel_code === null ? (
          <span className="muted">{t('no_token')}</span>
        ) : (
          <Link to="/channels/$channel_code" params={{ channel_code }}>
            {channel_code}
          </Link>
        ),
    },
    { title: t('token_calls'), render: ({ token_calls }) => <Figure value={token_calls} />, align: 'right' },
    { title: t('path_calls'), render: ({ path_calls }) => <Figure value={path_calls} />, align: 'right' },
    { title: t('last_used'), render: ({ last_used_at }) => <Time at={last_used_at} /> },
    {
      title: t('old_paths'),
      wraps: true,
      render: ({ paths }) =>
        paths.slice(0, maxPaths).map(({ path, calls }) => (
          <div key={path}>
            <span className="mono">{path}</span> <Figure value={calls} />
          </div>
        )),
    },
  ]
  const until = query.data?.until
  return (
    <Page title={t('legacy')} text={t('legacy_text')}>
      {until && (
        <Alert color="orange" mb="md">
          {t(Date.now() > Date.parse(until) ? 'legacy_ended' : 'legacy_until')}{' '}
          <Time at={until} form="utcFull" />
        </Alert>
      )}
      <DataList
        query={query}
        caption={t('legacy')}
        columns={columns}
        rowKey={({ channel_code }) => channel_code ?? ''}
        empty={<Empty title={t('legacy_none')} text={t('legacy_none_text')} />}
      />
    </Page>
  )
}
