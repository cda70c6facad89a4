import { DataTable } from '../../parts/data-table.tsx'
import { Section } from '../../parts/page.tsx'
import { Figure, Money } from '../../parts/values.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { WholeOrder } from './whole-order.ts'

interface Line {
  readonly sku: string
  readonly quantity: number
  /** Null for a drop-ship order, whose shipment has the same quantity. */
  readonly quantity_shipped: number | null
  readonly unit_price: number | null
  readonly line_total: number | null
}

/** What was ordered: the lines of a wholesale order, or the one item of a drop-ship order. */
export function OrderLines({ whole: { order, dropship_order: dropship } }: { readonly whole: WholeOrder }) {
  const t = useTexts()
  const currency = (order ?? dropship)?.currency ?? null
  const lines: readonly Line[] = order?.lines ?? (dropship ? [toLine(dropship)] : [])
  return (
    <Section title={t('goods')}>
      <DataTable
        caption={t('goods')}
        rows={lines}
        rowKey={({ sku }) => sku}
        columns={[
          { title: t('sku'), render: ({ sku }) => <span className="mono">{sku}</span> },
          { title: t('quantity'), render: ({ quantity }) => <Figure value={quantity} />, align: 'right' },
          {
            title: t('shipped'),
            render: ({ quantity_shipped: shipped }) => shipped !== null && <Figure value={shipped} />,
            align: 'right',
          },
          {
            title: t('unit_price'),
            render: ({ unit_price: price }) => price !== null && <Money amount={price} currency={currency} />,
            align: 'right',
          },
          {
            title: t('total'),
            render: ({ line_total: total }) => total !== null && <Money amount={total} currency={currency} />,
            align: 'right',
          },
        ]}
        empty={null}
      />
    </Section>
  )
}

function toLine({ sku, quantity, unit_price, costs }: NonNullable<WholeOrder['dropship_order']>): Line {
  return { sku, quantity, quantity_shipped: null, unit_price, line_total: costs?.goods ?? null }
}
