/**
 * A warehouse and a view that are new at the ERP, whose first events one process publishes before another process knows
 * them.
 */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { publishStockChanges } from '../src/events/stock-changed.ts'
import { sequenceEvents } from '../src/webhooks/sequence.ts'
import { call, createWorld, type LooseJson, openTestGateway, type TestGateway } from './harness.ts'
import { deliverDue, openReceiver, privateNets, type Receiver, registerEndpoint } from './receiver.ts'
import { openSecondGateway, setStock } from './trade.ts'

const warehouse = 'NZAKL1'
const view = 'NZ'
const settings = { ...privateNets, WAREHOUSE_VIEWS: `AU=AUSYD1+AUSYD2,${view}=${warehouse}` }

/** The process that publishes the events. */
let first: TestGateway
/** The process that numbers and delivers the events. It has read the warehouses only at its start. */
let second: TestGateway
let receiver: Receiver

beforeAll(async () => {
  receiver = await openReceiver()
})
afterAll(() => receiver.close())

beforeEach(async () => {
  receiver.received.length = 0
  first = await openTestGateway({ settings })
  second = await openSecondGateway(first, settings)
  await publishStockChanges(first.gateway)
  return async () => {
    await second.close()
    await first.close()
  }
})

/** Adds a warehouse to the ERP, with the stock of one SKU, and publishes its first change and that of its view. */
async function publishFirstChanges(): Promise<void> {
  const { store } = first.sandbox
  store.run(
    `insert into warehouses (warehouse_code, name, country_code, timezone, currency, status)
     values (?, 'Auckland', 'NZ', 'Pacific/Auckland', 'NZD', 'active')`,
    warehouse,
  )
  store.run(
    `insert into stock (warehouse_code, sku, product_code, on_hand, price_wholesale, price_retail, incoming, stock_seq)
     select ?, sku, product_code, 1, price_wholesale, price_retail, '[]', 1 from stock
     where warehouse_code = 'AUSYD1' order by sku limit 1`,
    warehouse,
  )
  await first.settle()
  await publishStockChanges(first.gateway)
  const [row] = store.all('select sku from stock where warehouse_code = ?', warehouse)
  setStock(first, warehouse, String(row?.sku), 2)
  await first.settle()
  await publishStockChanges(first.gateway)
  expect(second.gateway.mirror.stock.warehouse(warehouse)).toBeUndefined()
}

/** Creates a channel with an endpoint that receives at `path`. */
async function registerReader(
  path: string,
  allowlist: readonly string[] = [],
  codes: readonly string[] = [],
): Promise<void> {
  const { token } = await createWorld(first, { warehouse_allowlist: [...allowlist] })
  const more = { event_types: ['stock.changed'], warehouse_codes: codes }
  await registerEndpoint(first, token, `${receiver.url}/${path}`, more)
}

const listReceived = () =>
  receiver.received.map(({ path, event }) => [path.split('/').at(-1), event.data.warehouse_code]).sort()

describe('the first event of a warehouse', () => {
  it('reaches every endpoint without a list, and that of its view only those whose list contains the view', async () => {
    await publishFirstChanges()
    await registerReader('any')
    await registerReader('allowed', [view])
    await registerReader('denied', ['AUSYD1'])
    await registerReader('named', [], [view])
    await registerReader('other', [], ['AUSYD1'])
    await deliverDue(second)
    expect(listReceived()).toEqual([
      ['allowed', view],
      ['any', warehouse],
      ['named', view],
    ])
  })

  it('is sent by a process that does not know the warehouse, if another process has numbered it', async () => {
    await publishFirstChanges()
    await registerReader('any')
    while (await sequenceEvents(first.gateway));
    await deliverDue(second)
    expect(listReceived()).toEqual([['any', warehouse]])
  })

  it('is on the list that a process returns which does not know the warehouse, without that of its view', async () => {
    const { token } = await createWorld(first)
    await publishFirstChanges()
    while (await sequenceEvents(second.gateway));
    const { json } = await call(second, 'GET', '/api/v1/events?page_size=200', { token })
    expect(json.data.map(({ data }: LooseJson) => data.warehouse_code)).toEqual([warehouse])
    expect((await call(second, 'GET', `/api/v1/events/${json.data[0].event_id}`, { token })).status).toBe(200)
  })

  it('is all that an endpoint without a list receives, also if the view was removed meanwhile', async () => {
    await publishFirstChanges()
    await registerReader('any')
    await first.gateway.store.db
      .updateTable('warehouses')
      .set({ kind: 'retired' })
      .where('warehouse_code', '=', view)
      .execute()
    await deliverDue(second)
    expect(listReceived()).toEqual([['any', warehouse]])
  })
})
