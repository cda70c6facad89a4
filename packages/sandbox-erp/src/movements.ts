import type { Random } from './catalogue/random.ts'
import { nextSeq } from './stock.ts'
import type { Row, Store } from './store.ts'

/** SKUs that show a fixed behaviour keep their figures. */
const magicPrefix = 'SBX-'

/** One change of one row of stock, as a day of business makes it: mostly sales, now and then goods or a new price. */
export function moveSomething(store: Store, random: Random): void {
  store.transaction(() => {
    const row = anyRow(store, random)
    if (!row) return
    const onHand = Number(row.on_hand)
    const dice = random.whole(1, 100)
    if (dice <= 80 && onHand > Number(row.held)) {
      setRow(store, row, { on_hand: onHand - random.whole(1, Math.min(5, onHand - Number(row.held))) })
    } else if (dice <= 97) {
      setRow(store, row, { on_hand: onHand + random.whole(5, 60) })
    } else {
      const price = Math.max(100, Math.round((Number(row.price_wholesale) * random.whole(95, 105)) / 100))
      setRow(store, row, {
        price_wholesale: price,
        price_retail: Math.max(price + 1, Number(row.price_retail)),
      })
    }
  })
}

/** Sets figures of one row under the next number of its warehouse, inside the caller's transaction. */
export function setRow(
  store: Store,
  row: Row,
  figures: { on_hand?: number; price_wholesale?: number; price_retail?: number; withdrawn?: number },
) {
  const warehouse = String(row.warehouse_code)
  store.run(
    `update stock set on_hand = ?, price_wholesale = ?, price_retail = ?, withdrawn = ?, stock_seq = ?
     where warehouse_code = ? and sku = ?`,
    figures.on_hand ?? Number(row.on_hand),
    figures.price_wholesale ?? Number(row.price_wholesale),
    figures.price_retail ?? Number(row.price_retail),
    figures.withdrawn ?? Number(row.withdrawn),
    nextSeq(store, warehouse),
    warehouse,
    String(row.sku),
  )
}

/** The stored row of a SKU in a warehouse, withdrawn ones included. */
export function rowOf(store: Store, warehouse: string, sku: string): Row | undefined {
  return store.one('select * from stock where warehouse_code = ? and sku = ?', warehouse, sku)
}

function anyRow(store: Store, random: Random): Row | undefined {
  const warehouses = store.all('select warehouse_code, stock_seq from warehouses where stock_seq > 0')
  if (warehouses.length === 0) return undefined
  const warehouse = String(random.pick(warehouses).warehouse_code)
  const probe = store.one('select count(*) as rows from stock where warehouse_code = ?', warehouse)
  const offset = random.whole(0, Number(probe?.rows ?? 1) - 1)
  const row = store.one(
    'select * from stock where warehouse_code = ? order by sku limit 1 offset ?',
    warehouse,
    offset,
  )
  return row && !String(row.sku).startsWith(magicPrefix) ? row : undefined
}
