/** The feeds of hints: the SKUs of each warehouse, the styles, and the references of documents. */
import { z } from 'zod'
import type { Connector } from './connector.ts'
import { Feed, type RecentWrites, type Source, type Write, withInactive } from './hints.ts'
import { parseHoldText } from './orders/references.ts'
import type { Warehouse } from './places.ts'
import type { Prices } from './prices.ts'
import { id, ids, isUsableCode } from './values.ts'

const moves: Source = {
  model: 'stock.move',
  domain: [],
  fields: ['product.code', 'from_location', 'to_location'],
}
/** Tryton deletes the moves of a shipment that is no longer assigned, and makes others: its shipment shows it. */
const shipmentsOut: Source = { model: 'stock.shipment.out', domain: [], fields: ['warehouse'] }
const shipmentsInternal: Source = {
  model: 'stock.shipment.internal',
  domain: [],
  fields: ['reference', 'from_location', 'to_location'],
}
const products: Source = {
  model: 'product.product',
  domain: [],
  fields: ['code', 'template.code', 'template'],
}
const templates: Source = { model: 'product.template', domain: [], fields: ['code'] }
const priceLists: Source = { model: 'product.price_list', domain: [], fields: [] }
const priceLines: Source = { model: 'product.price_list.line', domain: [], fields: [] }
const sales: Source = { model: 'sale.sale', domain: [['web_id', '!=', null]], fields: ['web_id'] }
const invoices: Source = { model: 'account.invoice', domain: [['type', '=', 'out']], fields: ['sales'] }

interface Polling {
  readonly connector: Connector
  readonly recent: RecentWrites
  readonly prices: Pick<Prices, 'forgetList'>
}

const productOf = z.looseObject({ 'product.': z.object({ code: z.string().nullish() }).nullish() })
const ends = z.looseObject({ from_location: z.int(), to_location: z.int() })
const outOf = z.looseObject({ warehouse: z.int().nullish() })
const codeOf = z.looseObject({ code: z.string().nullish() })

const select = (writes: readonly Write[], source: Source) => writes.filter((write) => write.source === source)

/** Hints of the SKUs of one warehouse. A changed price list may change every price. */
export function createStockFeed(polling: Polling, warehouse: Warehouse, zones: Zones): Feed {
  const { connector } = polling
  const sources = [moves, shipmentsOut, shipmentsInternal, products, templates]
  const lists = connector.places.priceList === null ? [] : [priceLists, priceLines]
  return new Feed(polling, 'stock', {
    sources: [...sources, ...lists],
    toKeys: async (writes) => {
      if (select(writes, priceLists).length + select(writes, priceLines).length > 0) {
        polling.prices.forgetList()
        return 'everything'
      }
      const own = []
      for (const write of writes) if (await isOf(warehouse, zones, write)) own.push(write)
      const codes = [
        ...select(own, moves).map(({ row }) => productOf.parse(row)['product.']?.code),
        ...(await readShippedCodes(connector, own)),
        ...select(writes, products).map(({ row }) => codeOf.parse(row).code),
        ...(await readSkusOfStyles(connector, select(writes, templates))),
      ]
      return codes.filter(isUsableCode)
    },
  })
}

/** Whether a move or a shipment is of a warehouse: what happens in one changes no stock of another. */
async function isOf(warehouse: Warehouse, zones: Zones, { source, row }: Write): Promise<boolean> {
  if (source === shipmentsOut) return outOf.parse(row).warehouse === warehouse.id
  return source === moves || source === shipmentsInternal ? zones.touches(warehouse, ends.parse(row)) : false
}

async function readShippedCodes({ rpc }: Connector, writes: readonly Write[]) {
  const names = [...select(writes, shipmentsOut), ...select(writes, shipmentsInternal)].map(
    ({ source, row }) => `${source.model},${row.id}`,
  )
  if (names.length === 0) return []
  const rows = await rpc.searchRead('stock.move', [['shipment', 'in', names]], productOf, {
    fields: ['product.code'],
  })
  return rows.map((row) => row['product.']?.code)
}

async function readSkusOfStyles({ rpc }: Connector, writes: readonly Write[]) {
  if (writes.length === 0) return []
  const domain = [['template', 'in', writes.map(({ row }) => row.id)]]
  const settings = { fields: ['code'], context: withInactive }
  const rows = await rpc.searchRead('product.product', domain, codeOf, settings)
  return rows.map(({ code }) => code)
}

/** Hints of styles. */
export function createProductFeed(polling: Polling): Feed {
  const { connector } = polling
  const lists = connector.places.priceList === null ? [] : [priceLists, priceLines]
  const styleOf = z.looseObject({ 'template.': codeOf.nullish() })
  return new Feed(polling, 'products', {
    sources: [products, templates, ...lists],
    toKeys: async (writes) => {
      if (select(writes, priceLists).length + select(writes, priceLines).length > 0) return 'everything'
      const codes = [
        ...select(writes, templates).map(({ row }) => codeOf.parse(row).code),
        ...select(writes, products).map(({ row }) => styleOf.parse(row)['template.']?.code),
      ]
      return codes.filter(isUsableCode)
    },
  })
}

/** Hints of documents: an order changes with its sale, its shipments and its invoices, a hold with its shipment. */
export function createDocumentFeed(polling: Polling): Feed {
  const { connector } = polling
  const webIdOf = z.looseObject({ web_id: z.string().nullish() })
  const referenceOf = z.looseObject({ reference: z.string().nullish() })
  return new Feed(polling, 'documents', {
    sources: [sales, shipmentsOut, shipmentsInternal, invoices],
    toKeys: async (writes) => {
      const references = [
        ...select(writes, sales).map(({ row }) => webIdOf.parse(row).web_id ?? ''),
        ...(await readWebIds(connector, writes)),
        ...select(writes, shipmentsInternal).map(
          ({ row }) => parseHoldText(referenceOf.parse(row).reference ?? '')?.reference ?? '',
        ),
      ]
      return references.filter((reference) => /^[A-Za-z0-9-]{1,40}$/.test(reference))
    },
  })
}

async function readWebIds({ rpc }: Connector, writes: readonly Write[]) {
  const shipments = select(writes, shipmentsOut).map(({ row }) => row.id)
  const salesOf = z.looseObject({ sales: ids.nullish() })
  const billed = select(writes, invoices).flatMap(({ row }) => salesOf.parse(row).sales ?? [])
  if (shipments.length + billed.length === 0) return []
  const domain = [
    ['web_id', '!=', null],
    ['OR', ['id', 'in', billed], ['shipments', 'in', shipments]],
  ]
  const row = z.object({ web_id: z.string() })
  const rows = await rpc.searchRead('sale.sale', domain, row, { fields: ['web_id'] })
  return rows.map(({ web_id }) => web_id)
}

const maxKnownZones = 100_000

/** Which warehouse a location is in. A location that appears later is looked up. */
export class Zones {
  readonly #connector: Connector
  readonly #warehouseOf = new Map<number, number | null>()

  constructor(connector: Connector) {
    this.#connector = connector
  }

  async touches(
    warehouse: Warehouse,
    { from_location, to_location }: { from_location: number; to_location: number },
  ): Promise<boolean> {
    const [from, to] = [await this.#find(from_location), await this.#find(to_location)]
    return from === warehouse.id || to === warehouse.id
  }

  async #find(location: number): Promise<number | null> {
    const known = this.#warehouseOf.get(location)
    if (known !== undefined) return known
    if (this.#warehouseOf.size > maxKnownZones) this.#warehouseOf.clear()
    const row = z.object({ id, warehouse: z.int().nullish() })
    const settings = { fields: ['warehouse'], context: withInactive }
    const { rpc } = this.#connector
    const [found] = await rpc.searchRead('stock.location', [['id', '=', location]], row, settings)
    const warehouse = found?.warehouse ?? null
    this.#warehouseOf.set(location, warehouse)
    return warehouse
  }
}
