import { Table } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { RowOf } from '../api/client.ts'
import { useRead } from '../api/hooks.ts'
import { type Fact, Facts, Page, Section } from '../parts/page.tsx'
import { Read } from '../parts/states.tsx'
import { Figure, Id, StatusCode, Time } from '../parts/values.tsx'
import { useTexts } from '../texts/texts.ts'
import { findDifferences } from './audit/differences.ts'

type AuditRow = RowOf<'/admin/api/audit'>

const route = getRouteApi('/audit/$audit_id')

/** One use of the admin token: who, what, the result, and what it changed. */
export function AuditRowPage() {
  const t = useTexts()
  const { audit_id } = route.useParams()
  const query = useRead('/admin/api/audit/{audit_id}', { params: { audit_id } })
  return (
    <Page title={t('audit_row')} back={<Link to="/audit">{t('audit')}</Link>} text={<Id value={audit_id} />}>
      <Read query={query}>{({ data }) => <Row row={data} />}</Read>
    </Page>
  )
}

function Row({ row }: { readonly row: AuditRow }) {
  const t = useTexts()
  const { request_id, status, address, query } = row
  const optional = (name: string, value: string | null): Fact[] =>
    value ? [[name, <Mono key={name} text={value} />]] : []
  return (
    <>
      <Facts
        rows={[
          [t('time'), <Time key="at" at={row.at} form="full" />],
          [t('who'), row.actor],
          ...optional(t('audit_address'), address),
          [t('action'), <Mono key="action" text={row.action} />],
          [t('subject'), <Mono key="subject" text={row.subject} />],
          ...optional(t('audit_query'), query),
          [t('result'), status !== null && <StatusCode key="status" status={status} code={row.code} />],
          [t('audit_number'), <Figure key="number" value={row.number} />],
          [
            t('request'),
            request_id && (
              <Link key="request" to="/requests/$request_id" params={{ request_id }} className="mono">
                {request_id}
              </Link>
            ),
          ],
        ]}
      />
      <Differences before={row.before} after={row.after} />
    </>
  )
}

function Mono({ text }: { readonly text: string }) {
  return <span className="mono">{text}</span>
}

function Differences({ before, after }: Pick<AuditRow, 'before' | 'after'>) {
  const t = useTexts()
  const rows = findDifferences(before, after)
  if (before === null && after === null) return null
  return (
    <Section title={t('changes')}>
      {rows.length === 0 && <p className="muted">{t('changes_none')}</p>}
      {rows.length > 0 && (
        <div className="table-frame">
          <Table className="differences">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('field')}</Table.Th>
                <Table.Th>{t('before')}</Table.Th>
                <Table.Th>{t('after')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map(({ name, before: old, after: fresh }) => (
                <Table.Tr key={name}>
                  <Table.Td className="mono">{name}</Table.Td>
                  <Table.Td className="mono removed">{old}</Table.Td>
                  <Table.Td className="mono added">{fresh}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
    </Section>
  )
}
