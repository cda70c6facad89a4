/** One SKU as the gateway serves it beside what the ERP says at this moment, for operators. Nothing is corrected. */

import { type StockFigure, UnknownOutcome } from '@trade-gateway/connector'
import type { z } from 'zod'
import { toNotFilledError } from '../contract/not-filled.ts'
import type { Gateway } from '../gateway.ts'
import { Deadline } from '../kernel/deadline.ts'
import { toCanonicalJson } from '../kernel/json.ts'
import { Slots } from '../kernel/slots.ts'
import { toSnapshotRow } from '../snapshot/stock-mirror.ts'
import { findSku } from '../snapshot/stock-snapshot.ts'
import { listStockCopies } from './copies.ts'
import { stockRow } from './endpoints.ts'
import { toStockFields } from './write.ts'

/** The largest number of warehouses that one call reads, in the order of their codes. */
const maxWarehouses = 20
/** The largest number of calls to the ERP at the same time, because orders need the ERP too. */
const maxReadsAtOnce = 4
/** The time limit for the ERP's responses of all warehouses together. */
const maxReadMs = 5_000

/** What a client sees of a SKU in a warehouse. */
export const publishedFigure = stockRow.pick({
  product_code: true,
  quantity_on_hand: true,
  quantity_available: true,
  price_wholesale: true,
  price_retail: true,
  currency: true,
  incoming: true,
})
type Figure = z.output<typeof publishedFigure>

/** The gateway's row: a figure, with the version and the time of its last change. */
export const servedFigure = publishedFigure.extend(stockRow.pick({ version: true, updated_at: true }).shape)

/** Whether the ERP responded. With `ok` and no figure, it does not carry the SKU in the warehouse. */
export const readOutcomes = ['ok', 'refused', 'no_response'] as const

interface Reading {
  readonly erp: Figure | null
  readonly erp_result: (typeof readOutcomes)[number]
}

/**
 * Reads a SKU from the ERP, warehouse by warehouse, and puts the gateway's figures beside it. `left_out` counts the
 * warehouses beyond `maxWarehouses`. Throws `UPSTREAM_ERROR` before the ERP's warehouses are known.
 */
export async function compareSku(gateway: Gateway, sku: string, timeoutMs = maxReadMs) {
  const warehouses = gateway.mirror.stock.warehouses().filter(({ kind }) => kind === 'warehouse')
  if (warehouses.length === 0) throw toNotFilledError('warehouses')
  const codes = warehouses.slice(0, maxWarehouses).map(({ warehouse_code }) => warehouse_code)
  const deadline = Deadline.after(timeoutMs)
  const readings = await readFromErp(gateway, { sku, codes, signal: deadline.signal })
  deadline.end()
  // The gateway's figures are taken after the ERP's, so that a change in between is rather seen on both sides.
  const copies = await listStockCopies(gateway)
  const rows = copies.flatMap(({ warehouse_code, name, version, age_seconds, compare_requested_at }) => {
    const reading = readings.get(warehouse_code)
    if (!reading) return []
    const served = findServedFigure(gateway, warehouse_code, sku)
    const isKnown = reading.erp_result === 'ok' && version !== null
    const differs = isKnown ? !isSameFigure(served, reading.erp) : null
    const copy = { warehouse_code, name, version, age_seconds, compare_requested_at }
    return [{ ...copy, gateway: served, ...reading, differs }]
  })
  return { sku, warehouses: rows, left_out: warehouses.length - codes.length }
}

interface Asked {
  readonly sku: string
  readonly codes: readonly string[]
  readonly signal: AbortSignal
}

async function readFromErp(gateway: Gateway, { sku, codes, signal }: Asked): Promise<Map<string, Reading>> {
  const slots = new Slots(maxReadsAtOnce, maxWarehouses)
  const readings = codes.map(async (warehouse_code): Promise<[string, Reading]> => {
    const done = await slots.run(signal, () => readFigure(gateway, { warehouse_code, sku, signal }))
    return [warehouse_code, done?.result ?? { erp: null, erp_result: 'no_response' }]
  })
  return new Map(await Promise.all(readings))
}

interface AskedOnce {
  readonly warehouse_code: string
  readonly sku: string
  readonly signal: AbortSignal
}

async function readFigure(gateway: Gateway, { warehouse_code, sku, signal }: AskedOnce): Promise<Reading> {
  try {
    const result = await gateway.erp['stock.read']({ warehouse_code, skus: [sku] }, { signal })
    if ('rejected' in result) return { erp: null, erp_result: 'refused' }
    const figure = result.ok.rows.find((row) => row.sku === sku)
    return { erp: figure ? toPublished(gateway, warehouse_code, figure) : null, erp_result: 'ok' }
  } catch (error) {
    if (!(error instanceof UnknownOutcome)) throw error
    return { erp: null, erp_result: 'no_response' }
  }
}

/** Converts the ERP's figure as a sync would, so that both sides have the same form and units. */
function toPublished({ clock }: Gateway, warehouse_code: string, figure: StockFigure): Figure {
  const row = { ...toStockFields(warehouse_code, figure, clock.now()), version: 0 }
  return publishedFigure.parse(JSON.parse(toSnapshotRow(row).json))
}

/** Finds the row that this process serves; null if the warehouse has none or it is withdrawn. */
function findServedFigure({ mirror }: Gateway, warehouse_code: string, sku: string) {
  const snapshot = mirror.stock.snapshot(warehouse_code)
  const place = snapshot && findSku(snapshot, sku)
  if (!place || place.removed) return null
  return servedFigure.parse(JSON.parse(place.block.readJson(place.row).toString()))
}

/** Whether a client would see the same; two missing figures are the same. */
function isSameFigure(served: Figure | null, erp: Figure | null): boolean {
  if (served === null || erp === null) return served === erp
  return toCanonicalJson(publishedFigure.parse(served)) === toCanonicalJson(erp)
}
