import { beginEpoch } from '../../../gateway/src/snapshot/epoch.ts'
import { createWorld, openTestGateway } from '../../../gateway/tests/harness.ts'
import { TradeGateway } from '../../src/index.ts'
import type { StockRow } from '../../src/mirror/index.ts'
import { warehouse } from './warehouse.ts'

/** A gateway whose stock a test changes, and a client of it. */
export async function openSource(styles = 60) {
  const house = await openTestGateway({ styles, isEmbedded: true })
  const { client_id, client_secret } = await createWorld(house)
  const auth = { clientId: client_id, clientSecret: client_secret }
  const client = new TradeGateway({ baseUrl: house.url, auth })
  const skus = house.sandbox.store
    .all('select sku from stock where warehouse_code = ? and withdrawn = 0 order by sku', warehouse)
    .map(({ sku }) => String(sku))

  /** The names of all states that the warehouse ever had, in order. */
  const states: string[] = []
  async function noteState() {
    const { row_count, checksum } = await client.stock.checksum(warehouse)
    const state = `${row_count} ${checksum}`
    if (state !== states.at(-1)) states.push(state)
  }
  await noteState()

  /** Changes fields of rows in the ERP, and lets the gateway see all of it at once. */
  async function change(changed: readonly string[], fields = 'on_hand = on_hand + 1') {
    const { store } = house.sandbox
    for (const sku of changed) {
      store.run('update warehouses set stock_seq = stock_seq + 1 where warehouse_code = ?', warehouse)
      store.run(
        `update stock set ${fields}, stock_seq = (select stock_seq from warehouses where warehouse_code = ?1)
         where warehouse_code = ?1 and sku = ?2`,
        warehouse,
        sku,
      )
    }
    await house.settle()
    await noteState()
  }

  return {
    house,
    auth,
    client,
    skus,
    states,
    change,
    /** Begins another history, after which every cursor needs a full sync. */
    async beginHistory() {
      house.clock.advance(600_000)
      await beginEpoch(house.gateway)
      await house.settle()
    },
    async readAll(): Promise<StockRow[]> {
      return client.stock.list(warehouse).toArray({ limit: 1_000_000 })
    },
    close: () => house.close(),
  }
}

export type Source = Awaited<ReturnType<typeof openSource>>
