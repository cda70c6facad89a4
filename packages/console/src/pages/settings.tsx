import { Badge, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { RowOf } from '../api/client.ts'
import { useRead } from '../api/hooks.ts'
import { type Column, DataTable } from '../parts/data-table.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, Read } from '../parts/states.tsx'
import { useTexts } from '../texts/texts.ts'

type Setting = RowOf<'/admin/api/settings'>

/** The settings of this process and where each came from; the values of secrets are never read. */
export function SettingsPage() {
  const t = useTexts()
  const [wanted, setWanted] = useState('')
  const query = useRead('/admin/api/settings', {})
  const columns: readonly Column<Setting>[] = [
    { title: t('setting'), render: ({ name }) => <b className="mono">{name}</b> },
    { title: t('value'), render: (setting) => <Value setting={setting} />, wraps: true },
    {
      title: t('source'),
      render: ({ source }) => (
        <Badge color={source === 'default' ? 'gray' : 'brand'}>{t(`source_of_${source}`)}</Badge>
      ),
    },
  ]
  return (
    <Page
      title={t('settings')}
      text={t('settings_text')}
      actions={<a href="/docs/configuration">{t('disabled_docs')}</a>}
    >
      <search className="filters">
        <TextInput
          size="xs"
          label={t('setting')}
          value={wanted}
          onChange={(event) => setWanted(event.currentTarget.value)}
          spellCheck={false}
        />
      </search>
      <Read query={query}>
        {({ data }) => (
          <DataTable
            caption={t('settings')}
            columns={columns}
            rows={data.filter(({ name }) => name.includes(wanted.trim().toUpperCase()))}
            rowKey={({ name }) => name}
            empty={<Empty title={t('settings_none')} />}
          />
        )}
      </Read>
    </Page>
  )
}

function Value({ setting: { secret, set, value } }: { readonly setting: Setting }) {
  const t = useTexts()
  if (secret) return <span className="muted">{t(set ? 'secret_set' : 'not_set')}</span>
  if (value === null || value === '') return <span className="muted">{t('not_set')}</span>
  return <span className="mono">{value}</span>
}
