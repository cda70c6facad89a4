import { z } from 'zod'
import { csvField } from '../../sandbox-erp/src/catalogue/csv.ts'
import { answerTo, jsonOf } from './client.ts'
import type { SaleMovement } from './sales.ts'
import { count, type Tally } from './tally.ts'

/** So many movements are one transaction of the ERP. */
const movementsPerBatch = 100

const answer = z.object({
  applied: z.int(),
  left_out: z.array(z.object({ line: z.int(), sku: z.string(), reason: z.string() })),
  stock_seq: z.record(z.string(), z.int()),
})

/** What the ERP acknowledged. */
export interface Replayed {
  batches: number
  applied: number
  /** How many movements the ERP left out, by kind of reason. */
  readonly left_out: Tally
  /** The sum of the applied movements of each SKU. */
  readonly changes: Map<string, number>
}

/** Where movements go. */
export interface ErpAddress {
  readonly erp_url: string
  readonly erp_token: string
  readonly warehouse_code: string
}

/**
 * Sends movements to the ERP batch by batch, each after the answer to the one before. `onBatch` is told the figures
 * after each. Throws `Unanswered` when the ERP refuses a batch.
 */
export async function replay(
  movements: AsyncIterable<SaleMovement>,
  erp: ErpAddress,
  signal: AbortSignal,
  onBatch: (replayed: Readonly<Replayed>) => void,
): Promise<Replayed> {
  const replayed: Replayed = { batches: 0, applied: 0, left_out: new Map(), changes: new Map() }
  let batch: SaleMovement[] = []
  for await (const movement of movements) {
    batch.push(movement)
    if (batch.length < movementsPerBatch) continue
    await send(batch, erp, signal, replayed)
    onBatch(replayed)
    batch = []
  }
  if (batch.length > 0) await send(batch, erp, signal, replayed)
  onBatch(replayed)
  return replayed
}

async function send(batch: SaleMovement[], erp: ErpAddress, signal: AbortSignal, replayed: Replayed) {
  const rows = batch.map(({ sku, quantity }) => `${erp.warehouse_code},${csvField(sku)},${quantity}\n`)
  const headers = { 'content-type': 'text/csv', authorization: `Bearer ${erp.erp_token}` }
  const body = `warehouse_code,sku,quantity\n${rows.join('')}`
  const response = await answerTo(
    `${erp.erp_url}/sandbox/movements`,
    { method: 'POST', headers, body },
    signal,
  )
  const { applied, left_out } = answer.parse(await jsonOf(response))
  replayed.batches += 1
  replayed.applied += applied
  // Line 1 is the header, so that the first movement stands on line 2.
  const leftOutLines = new Set(left_out.map(({ line }) => line))
  batch.forEach(({ sku, quantity }, index) => {
    if (leftOutLines.has(index + 2)) return
    replayed.changes.set(sku, (replayed.changes.get(sku) ?? 0) + quantity)
  })
  for (const { reason } of left_out) count(replayed.left_out, kindOf(reason))
}

/** A reason without the figures and names that are different in each. */
function kindOf(reason: string): string {
  return reason.replaceAll(/"[^"]*"/g, '"…"').replaceAll(/\b\d+\b/g, 'n')
}
