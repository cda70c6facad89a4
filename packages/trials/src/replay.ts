import { z } from 'zod'
import { toCsvField } from '../../sandbox-erp/src/catalogue/csv.ts'
import { fetchResponse, readJson } from './client.ts'
import type { SaleMovement } from './sales.ts'
import { addToTally, type Tally } from './tally.ts'

/** The number of movements in one transaction of the ERP. */
const movementsPerBatch = 100

const movementsResponse = z.object({
  applied: z.int(),
  left_out: z.array(z.object({ line: z.int(), sku: z.string(), reason: z.string() })),
  stock_seq: z.record(z.string(), z.int()),
})

/** The movements that the ERP has acknowledged. */
export interface ReplayTotals {
  batches: number
  applied: number
  /** The number of movements that the ERP left out, by kind of reason. */
  readonly left_out: Tally
  /** The sum of the applied movements of each SKU. */
  readonly changes: Map<string, number>
}

/** The address of the ERP's controls. */
export interface ErpAddress {
  readonly erp_url: string
  readonly erp_token: string
  readonly warehouse_code: string
}

/**
 * Sends movements to the ERP in batches, each after the response to the previous one, and calls `onBatch` after each.
 * Throws `NoUsableResponse` if the ERP refuses a batch.
 */
export async function replaySales(
  movements: AsyncIterable<SaleMovement>,
  erp: ErpAddress & { readonly onBatch: () => void },
  signal: AbortSignal,
): Promise<ReplayTotals> {
  const replayed: ReplayTotals = { batches: 0, applied: 0, left_out: new Map(), changes: new Map() }
  let batch: SaleMovement[] = []
  for await (const movement of movements) {
    batch.push(movement)
    if (batch.length < movementsPerBatch) continue
    recordBatch(replayed, batch, await sendBatch(batch, erp, signal))
    erp.onBatch()
    batch = []
  }
  if (batch.length > 0) recordBatch(replayed, batch, await sendBatch(batch, erp, signal))
  erp.onBatch()
  return replayed
}

async function sendBatch(batch: readonly SaleMovement[], erp: ErpAddress, signal: AbortSignal) {
  const rows = batch.map(({ sku, quantity }) => `${erp.warehouse_code},${toCsvField(sku)},${quantity}\n`)
  const headers = { 'content-type': 'text/csv', authorization: `Bearer ${erp.erp_token}` }
  const body = `warehouse_code,sku,quantity\n${rows.join('')}`
  const response = await fetchResponse(
    `${erp.erp_url}/sandbox/movements`,
    { method: 'POST', headers, body },
    signal,
  )
  return movementsResponse.parse(await readJson(response))
}

function recordBatch(
  replayed: ReplayTotals,
  batch: readonly SaleMovement[],
  { applied, left_out }: z.infer<typeof movementsResponse>,
) {
  replayed.batches += 1
  replayed.applied += applied
  // Line 1 is the header, so the first movement is on line 2.
  const leftOutLines = new Set(left_out.map(({ line }) => line))
  batch.forEach(({ sku, quantity }, index) => {
    if (leftOutLines.has(index + 2)) return
    replayed.changes.set(sku, (replayed.changes.get(sku) ?? 0) + quantity)
  })
  for (const { reason } of left_out) addToTally(replayed.left_out, generalizeReason(reason))
}

/** Removes the figures and names that differ in each reason, so that reasons can be counted. */
function generalizeReason(reason: string): string {
  return reason.replaceAll(/"[^"]*"/g, '"…"').replaceAll(/\b\d+\b/g, 'n')
}
