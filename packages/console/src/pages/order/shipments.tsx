import { DataTable } from '../../parts/data-table.tsx'
import { Section } from '../../parts/page.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { WholeOrder } from './whole-order.ts'

/** The shipments of an order; nothing before the first. */
export function Shipments({ shipments }: Pick<WholeOrder, 'shipments'>) {
  const t = useTexts()
  if (shipments.length === 0) return null
  return (
    <Section title={t('shipments')}>
      <DataTable
        caption={t('shipments')}
        rows={shipments}
        rowKey={({ shipment_id }) => shipment_id}
        columns={[
          { title: t('carrier'), render: ({ carrier, service }) => `${carrier} ${service}` },
          {
            title: t('tracking'),
            render: ({ tracking_number: number }) => number && <span className="mono">{number}</span>,
          },
          { title: t('warehouse'), render: ({ warehouse_code }) => warehouse_code },
          {
            title: t('goods'),
            wraps: true,
            render: ({ lines }) => lines.map(({ sku, quantity }) => `${quantity} × ${sku}`).join(', '),
          },
        ]}
        empty={null}
      />
    </Section>
  )
}
