import { Button, Menu } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { ApiError, downloadFile } from '../../api/client.ts'
import { Icon } from '../../parts/icon.tsx'
import { useTexts } from '../../texts/texts.ts'

const formats = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const

/** Downloads the audit log that fits the filters. The token is in a header, so a plain link would not do. */
export function ExportAudit({ filters }: { readonly filters: Readonly<Record<string, string | undefined>> }) {
  const t = useTexts()
  const [isRunning, setRunning] = useState(false)
  const run = async (format: keyof typeof formats) => {
    setRunning(true)
    try {
      await downloadFile('/admin/api/audit/export', {
        query: filters,
        type: formats[format],
        name: `audit.${format}`,
      })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      notifications.show({
        message: error.code === 'UNREACHABLE' ? t('unreachable') : error.message,
        color: 'red',
      })
    } finally {
      setRunning(false)
    }
  }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name="download" />} loading={isRunning}>
          {t('export')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => void run('csv')}>CSV</Menu.Item>
        <Menu.Item onClick={() => void run('ndjson')}>NDJSON</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
