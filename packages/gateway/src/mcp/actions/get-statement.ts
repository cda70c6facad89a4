import { z } from 'zod'
import { formatInstant } from '../../kernel/clock.ts'
import { transactionsList } from '../../ledger/endpoints.ts'
import { action, readHints } from '../action.ts'
import { createDayField } from '../fields.ts'
import { checkStatement, type StatementSums } from '../statement/check-statement.ts'
import { mergeRows, readStatement, statementKinds } from '../statement/read-statement.ts'
import { linkStatement } from '../statement/statement-csv.ts'

const maxRows = 50
const perCurrency = z.record(z.string(), z.number())

export const getStatement = action({
  name: 'get_statement',
  title: 'Reconciliation statement',
  description:
    'The account between two days: opening and closing balance and totals by type, per currency, with checks that they add up; at most 50 rows, newest first. Amounts are signed, credit positive. At most 366 days. 1 point per kind and page of 200.',
  hints: readHints,
  endpoint: transactionsList,
  input: z.strictObject({
    start_date: createDayField('First day'),
    end_date: createDayField('Last day'),
    include: z
      .array(z.enum(statementKinds))
      .min(1)
      .max(statementKinds.length)
      .optional()
      .meta({ description: 'Default: all' }),
    detail: z.enum(['concise', 'rows']).default('rows').meta({ description: 'concise: no rows' }),
  }),
  output: z.object({
    currencies: z.array(z.string()),
    opening: perCurrency,
    closing: perCurrency,
    totals: z.record(z.string(), perCurrency),
    rows: z.array(z.looseObject({ kind: z.string() })),
    checks: z.array(z.object({ name: z.string(), ok: z.boolean(), diff: z.number().optional() })),
    truncated: z.boolean(),
  }),

  async run(context, { start_date, end_date, include, detail }) {
    const kinds = [...new Set(include ?? statementKinds)]
    const read = await readStatement(context, { start_date, end_date }, new Set(kinds))
    const today = formatInstant(context.gateway.clock.now()).slice(0, 10)
    const sums = checkStatement(read, { end_date, today })
    const rows = detail === 'rows' ? mergeRows(read) : []
    const isCutShort = Object.keys(read.cutShort).length > 0
    const data = {
      ...sums,
      rows: rows.slice(0, maxRows),
      truncated: isCutShort || rows.length > maxRows,
    }
    return { data, text: describeSums(sums), links: linkStatement(kinds, { start_date, end_date }) }
  },
})

/** Describes the sums and failed checks. Rows are only in the structured result. */
function describeSums({ currencies, opening, closing, checks }: StatementSums): string {
  const lines = currencies.map(
    (each) => `${each}: opening ${opening[each] ?? 'not read'}, closing ${closing[each] ?? 'not read'}.`,
  )
  const failed = checks
    .filter(({ ok }) => !ok)
    .map(({ name, diff }) => (diff === undefined ? name : `${name} is off by ${diff}`))
  const proof =
    failed.length === 0 ? `All ${checks.length} checks hold.` : `Checks failed: ${failed.join('; ')}.`
  return [...lines, proof].join(' ')
}
