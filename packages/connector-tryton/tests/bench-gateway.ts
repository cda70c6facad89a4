/** What a gateway before the connector takes: the first fill, a change's way to the feed, an order, and a page. */
import { erpClient, type Output, unwrap, withTimeout } from '@trade-gateway/connector'
import { z } from 'zod'
import { readShipping } from '../../trials/src/order-replay/replay-system.ts'
import { type Bench, time } from './bench-table.ts'
import { countStock, type Live, openLive, readAvailable, stockUp, toSubmit, warehouse_code } from './live.ts'
import { openThroughGateway, type ThroughGateway } from './through-gateway.ts'

const pageSize = 2_000
const maxPages = 1_000
const warehouses = ['AUSYD1', 'AUSYD2', 'CHNZJ1']
const inventoryLines = 2_000
const maxVisibleMs = 300_000
const pollMs = 20
const readMs = 3_000
const connections = 32
const callMs = 60_000

/** Reads all figures of all warehouses, first with prices that nobody has read, and then again to compare. */
export async function measureFill({ sandbox, table }: Bench): Promise<void> {
  const { erp } = await openLive({ staffUrl: sandbox.url })
  let rows = 0
  const readAll = async () => {
    rows = 0
    for (const each of warehouses) {
      let after: string | null = null
      for (let page = 0; page < maxPages; page++) {
        const found: Output<'stock.snapshot'> = unwrap(
          await erp['stock.snapshot']({ warehouse_code: each, after, limit: pageSize }),
        )
        rows += found.rows.length
        after = found.next
        if (after === null) break
      }
    }
  }
  const first = await time(readAll)
  table.add({
    name: `first read of ${rows} figures with prices`,
    times: [first],
    target: '60,000 in ≤ 100 s',
  })
  table.add({ name: `comparing ${rows} figures`, times: [await time(readAll)], target: '60,000 in ≤ 35 s' })
}

/** The time from a commit in Tryton until the gateway returns the new figure. */
export async function measureFeed({ sandbox, table, repeats, firstPort }: Bench): Promise<void> {
  const live = await openLive({ staffUrl: sandbox.url })
  const sku = await stockUp(live, 1, 50)
  const through = await openThroughGateway(sandbox.url, firstPort)
  try {
    const times = []
    for (let number = 0; number < repeats; number++) {
      await countStock(live, sku, 100 + number)
      times.push(await time(() => waitForFigure(through, sku, 100 + number)))
    }
    table.add({ name: 'a change is in the feed', times, target: '≤ 1.5 s' })
    const counted = await countMany(live)
    const visible = await time(() => waitForFigure(through, counted.sku, counted.quantity))
    const name = `an inventory of ${counted.lines} lines is in the feed`
    table.add({ name, times: [visible], target: '2,000 in ≤ 75 s' })
  } finally {
    await through.stop()
  }
}

const figure = z.object({ data: z.array(z.object({ quantity_available: z.int() })) })

async function waitForFigure({ buyer }: ThroughGateway, sku: string, quantity: number): Promise<void> {
  const path = `/api/v1/warehouses/${warehouse_code}/stock?sku=${sku}`
  const until = performance.now() + maxVisibleMs
  while (performance.now() < until) {
    const [found] = figure.parse(await buyer.read(path)).data
    if (found?.quantity_available === quantity) return
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
  throw new Error(`${sku} was not ${quantity} within ${maxVisibleMs} ms.`)
}

/** Counts many SKUs in one transaction. Returns the last of them. */
async function countMany({ staff, connector }: Live) {
  const row = z.object({ id: z.int(), code: z.string() })
  const settings = { fields: ['code'], limit: inventoryLines, order: [['code', 'ASC']] as const }
  const goods = await staff.rpc.searchRead('product.product', [['code', 'like', 'ST%']], row, settings)
  const quantity = 5_000 + (Date.now() % 1_000)
  const location = connector.places.warehouses.find(({ code }) => code === warehouse_code)?.storage
  const inventory = await staff.createOne('stock.inventory', {
    ...{ location, company: connector.places.company, empty_quantity: 'keep' },
    lines: [['create', goods.map(({ id: product }) => ({ product, quantity }))]],
  })
  await staff.press('stock.inventory', 'confirm', [inventory])
  return { lines: goods.length, sku: goods.at(-1)?.code ?? '', quantity }
}

/** The same order through the gateway and by the connector alone, in turns, and a page of the stock. */
export async function measureGateway({ sandbox, table, repeats, firstPort }: Bench): Promise<void> {
  const live = await openLive({ staffUrl: sandbox.url })
  const sku = await stockUp(live, 2, 100_000)
  const through = await openThroughGateway(sandbox.url, firstPort)
  const { url, token } = through.connector
  const client = erpClient(url, token)
  try {
    const shipping = await readShipping(through.buyer)
    const [alone, gateway]: [number[], number[]] = [[], []]
    for (let number = 0; number < repeats; number++) {
      const input = toSubmit(live, sku, 1)
      alone.push(await time(async () => unwrap(await client.erp.submit(input, withTimeout(callMs)))))
      gateway.push(await submitThrough(through, { sku, shipping, number }))
    }
    table.add({ name: 'submit, connector alone by HTTP', times: alone, target: 'p50 ≤ 1.0 s, p99 ≤ 2.5 s' })
    table.add({ name: 'submit, through the gateway', times: gateway, target: '≤ 1.1 × the connector alone' })
    await measurePages(table, live, through)
  } finally {
    await client.close()
    await through.stop()
  }
}

const drafted = z.object({ data: z.object({ order_id: z.string() }) })

/** Creates a draft, and returns the milliseconds of its submit. */
async function submitThrough(
  { buyer }: ThroughGateway,
  { sku, shipping, number }: { readonly sku: string; readonly shipping: object; readonly number: number },
): Promise<number> {
  const body = { lines: [{ sku, quantity: 1 }], shipping, payment_method: 'invoice' }
  const write = async (path: string, key: string, content: object = {}) => {
    const result = await buyer.write({ method: 'POST', path, key: `bench-${number}-${key}`, ...content })
    if (result.kind !== 'done') throw new Error(`${path}: ${JSON.stringify(result)}`)
    return result.body
  }
  const { order_id } = drafted.parse(await write('/api/v1/orders', 'draft', { body })).data
  return time(() => write(`/api/v1/orders/${order_id}/submit`, 'submit'))
}

/**
 * Reads a page of 100 for some seconds with many connections: from the gateway, and what it needs from Tryton itself. The
 * client is this process, so that the gateway's figure is a lower bound.
 */
async function measurePages(table: Bench['table'], live: Live, through: ThroughGateway): Promise<void> {
  await readAvailable(live, 'ST0001-S')
  const { buyer } = through
  const path = `/api/v1/warehouses/${warehouse_code}/stock?page=1&page_size=100`
  const own = await countReads(() => buyer.read(path))
  const { rpc, places } = live.connector
  const locations = [places.warehouses.find(({ code }) => code === warehouse_code)?.storage]
  const settings = {
    fields: ['code', 'quantity', 'template.code', 'list_price'],
    ...{ limit: 100, context: { locations, stock_assign: true } },
  }
  const direct = await countReads(() =>
    rpc.searchRead('product.product', [['type', '=', 'goods']], z.unknown(), settings),
  )
  const ratio = `${(own / direct).toFixed(0)} ×`
  table.addText([
    `a page of 100: ${own.toFixed(0)}/s, Tryton ${direct.toFixed(1)}/s`,
    ratio,
    '',
    '≥ 200 ×',
    '',
  ])
}

/** Returns how many reads a second end, with many at once. */
async function countReads(read: () => Promise<unknown>): Promise<number> {
  let done = 0
  const until = performance.now() + readMs
  const loop = async () => {
    while (performance.now() < until) {
      await read()
      done += 1
    }
  }
  const took = await time(() => Promise.all(Array.from({ length: connections }, loop)))
  return (done * 1_000) / took
}
