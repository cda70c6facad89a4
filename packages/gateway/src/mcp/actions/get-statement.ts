import { z } from 'zod'
import { instant } from '../../kernel/clock.ts'
import { action, readHints } from '../action.ts'
import { dayField } from '../fields.ts'
import { addUp, type Sums } from '../statement/add-up.ts'
import { kinds, readStatement, rowsOf } from '../statement/read.ts'

const mostRows = 50
const perCurrency = z.record(z.string(), z.number())

export const getStatement = action({
  name: 'get_statement',
  description:
    'The account between two days: opening and closing balance and totals by type, per currency, with checks that they add up; at most 50 rows, newest first. Amounts are signed, credit positive. At most 366 days. 1 point per kind and page of 200.',
  hints: readHints,
  input: z.strictObject({
    start_date: dayField('First day'),
    end_date: dayField('Last day'),
    include: z
      .array(z.enum(kinds))
      .min(1)
      .max(kinds.length)
      .optional()
      .meta({ description: 'Left out: all' }),
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

  async run(visit, { start_date, end_date, include, detail }) {
    const read = await readStatement(visit, { start_date, end_date }, new Set(include ?? kinds))
    const today = instant(visit.gateway.clock.now()).slice(0, 10)
    const sums = addUp(read, end_date >= today)
    const rows = detail === 'rows' ? rowsOf(read) : []
    const isCutShort = Object.keys(read.cutShort).length > 0
    const data = {
      ...sums,
      rows: rows.slice(0, mostRows),
      truncated: isCutShort || rows.length > mostRows,
    }
    return { data, text: textOf(sums) }
  },
})

/** The sums in words; rows are told by the structure alone. */
function textOf({ currencies, opening, closing, checks }: Sums): string {
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
