import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { csvType, toCsv } from '../contract/csv.ts'
import { Reply } from '../contract/reply.ts'
import type { Gateway } from '../gateway.ts'
import { type Position, parsePeriod } from '../store/cursor-page.ts'
import { toAuditRow } from './rows.ts'
import { type AuditFilters, type AuditJson, auditRow, positionOf, readOldest, toAuditJson } from './search.ts'

const maxRowsPerBatch = 500
const linesType = 'application/x-ndjson; charset=utf-8'
export const auditColumns = Object.keys(auditRow.shape)

/**
 * Exports the audit log, oldest row first, as a stream: one JSON object a line, or CSV with the objects as JSON texts.
 * It ends with the rows from before the call: the call's own row and later ones are left out. Throws `VALIDATION_FAILED`.
 */
export function exportAudit(gateway: Gateway, filters: AuditFilters, isCsv: boolean): Reply<never> {
  // A reversed period is refused before the response begins.
  parsePeriod(filters)
  // Read here, because the stream begins only after the call has left its own row.
  const end = gateway.clock.now()
  return Reply.stream(ReadableStream.from(readLines(gateway, { filters, isCsv, end })), [
    'Content-Type',
    isCsv ? csvType : linesType,
    'Content-Disposition',
    `attachment; filename="audit.${isCsv ? 'csv' : 'ndjson'}"`,
  ])
}

interface Export {
  readonly filters: AuditFilters
  readonly isCsv: boolean
  /** Epoch milliseconds, exclusive. */
  readonly end: number
}

async function* readLines(gateway: Gateway, { filters, isCsv, end }: Export): AsyncGenerator<Uint8Array> {
  if (isCsv) yield Buffer.from(toCsv(auditColumns, []))
  let after: Position | undefined
  for (;;) {
    const read = await readOldest(gateway, filters, { after, limit: maxRowsPerBatch })
    const rows = read.map(toAuditRow)
    const shown = rows.filter(({ at }) => at < end).map(toAuditJson)
    if (shown.length > 0) yield Buffer.from(isCsv ? toCsvLines(shown) : toJsonLines(shown))
    const [last, place] = [rows.at(-1), read.at(-1)]
    if (!last || !place || rows.length < maxRowsPerBatch || last.at >= end) return
    after = positionOf(place)
    await yieldToLoop()
  }
}

const toJsonLines = (rows: readonly AuditJson[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

function toCsvLines(rows: readonly AuditJson[]): string {
  const flat = rows.map((row) => ({
    ...row,
    before: row.before === null ? null : JSON.stringify(row.before),
    after: row.after === null ? null : JSON.stringify(row.after),
  }))
  const csv = toCsv(auditColumns, flat)
  return csv.slice(csv.indexOf('\r\n') + 2)
}
