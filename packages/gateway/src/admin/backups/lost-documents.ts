import type { Gateway } from '../../gateway.ts'
import { formatInstant, formatInstantOrNull } from '../../kernel/clock.ts'
import { amountOf } from '../../kernel/money.ts'
import { fromJson } from '../../store/json.ts'

const maxListed = 500

/** Lists the newest documents that the ERP has from a time that a restore lost. */
export async function listLostDocuments({ store }: Gateway) {
  const rows = await store.db
    .selectFrom('lost_documents')
    .selectAll()
    .orderBy('found_at', 'desc')
    .orderBy('reference')
    .limit(maxListed)
    .execute()
  return rows.map(({ kind, lines, total, currency, submitted_at, found_at, ...row }) => ({
    ...row,
    kind: kind === 'hold' ? ('hold' as const) : ('order' as const),
    lines: [...fromJson(lines)],
    total: total === null ? null : amountOf(total, currency),
    currency,
    submitted_at: formatInstantOrNull(submitted_at),
    found_at: formatInstant(found_at),
  }))
}
