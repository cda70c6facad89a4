import type { TradeGateway } from '@trade-gateway/sdk'
import { command } from '../command.ts'
import { type Context, say } from '../context.ts'
import { CommandError, UsageError } from '../failures.ts'
import { periodOptions, readDay } from '../period.ts'
import { printRows } from '../print.ts'

const kinds = ['transactions', 'bills', 'refunds', 'freight-bills'] as const
type Kind = (typeof kinds)[number]

const columns: Readonly<Record<Kind, readonly string[]>> = {
  transactions: ['occurred_at', 'type', 'amount', 'currency', 'balance_after', 'client_order_number'],
  bills: ['bill_number', 'period_start', 'period_end', 'amount_total', 'amount_due', 'currency', 'status'],
  refunds: ['requested_at', 'refund_id', 'order_number', 'amount', 'currency', 'status'],
  'freight-bills': ['billed_at', 'tracking_number', 'carrier', 'amount', 'currency', 'order_number'],
}
/** The smallest unit of all currencies of the API. */
const minorUnits = 100

export const statement = command({
  name: 'statement',
  summary: 'sum a period up by currency, and check that it adds up',
  isReading: true,
  description:
    'For each currency: opening balance, the sum of the transactions, closing balance. With --rows, the rows of one kind.',
  examples: [
    ['statement --from 2026-10-01 --to 2026-10-31', 'the sums of a month'],
    ['statement --from 2026-10-01 --to 2026-10-31 --rows transactions --json', 'every transaction'],
  ],
  agents: 'Ends with 1 if opening balance and transactions do not give the closing balance.',
  options: {
    ...periodOptions,
    rows: { type: 'string', value: 'KIND', help: 'print the rows of one kind instead', choices: kinds },
  },
  async run(context, { options }) {
    const period = { start_date: requireDay('from', options.from), end_date: requireDay('to', options.to) }
    const client = await context.connect()
    const kind = kinds.find((each) => each === options.rows)
    if (kind)
      await printRows(context, listRows(client, kind, period, context.signal), columns[kind], {
        limit: undefined,
        all: true,
      })
    else await printSums(context, client, period)
  },
})

interface Period {
  readonly start_date: string
  readonly end_date: string
}

function requireDay(name: 'from' | 'to', given: string | undefined): string {
  if (given !== undefined) return readDay(name, given)
  throw new UsageError(`--${name} is missing.`, 'For example: --from 2026-10-01 --to 2026-10-31')
}

function listRows(
  client: TradeGateway,
  kind: Kind,
  period: Period,
  signal: AbortSignal,
): AsyncIterable<object> {
  const filters = { ...period, page_size: 200 }
  if (kind === 'transactions') return client.transactions.list(filters, { signal })
  if (kind === 'bills') return client.bills.list(filters, { signal })
  if (kind === 'refunds') return client.refunds.list(filters, { signal })
  return client.freightBills.list(filters, { signal })
}

interface Sum {
  readonly currency: string
  readonly opening_balance: number
  readonly transactions: number
  readonly amount: number
  readonly closing_balance: number
  readonly adds_up: boolean
}

async function printSums(context: Context, client: TradeGateway, period: Period): Promise<void> {
  const { globals, out, signal } = context
  const sums = await sumUp(client, period, signal)
  if (globals.json) for (const sum of sums) await out.json(sum)
  else if (sums.length > 0) await out.table(sums.map((sum) => ({ ...sum })))
  else await say(context, 'There are no transactions.')
  const wrong = sums.find(({ adds_up }) => !adds_up)
  if (wrong)
    throw new CommandError(`The statement in ${wrong.currency} does not add up.`, {
      hint: 'Send the period and the figures to your account manager.',
    })
}

interface Balances {
  readonly opening_balance: number
  readonly closing_balance: number
}

/** Adds the transactions up in minor units, because sums of decimals are not exact. */
async function sumUp(client: TradeGateway, period: Period, signal: AbortSignal): Promise<Sum[]> {
  const sums = new Map<string, { count: number; minor: number }>()
  const balances = new Map<string, Balances>()
  for await (const page of client.transactions.list({ ...period, page_size: 200 }, { signal }).pages()) {
    for (const { currency, opening_balance, closing_balance } of page.balances) {
      // The newest page comes first: the last one has the balance before everything.
      const newest = balances.get(currency)?.closing_balance ?? closing_balance
      balances.set(currency, { opening_balance, closing_balance: newest })
    }
    for (const { currency, amount } of page.data) {
      const { count, minor } = sums.get(currency) ?? { count: 0, minor: 0 }
      sums.set(currency, { count: count + 1, minor: minor + toMinor(amount) })
    }
  }
  return Array.from(balances, ([currency, { opening_balance, closing_balance }]) => {
    const { count, minor } = sums.get(currency) ?? { count: 0, minor: 0 }
    return {
      currency,
      opening_balance,
      transactions: count,
      amount: minor / minorUnits,
      closing_balance,
      adds_up: toMinor(opening_balance) + minor === toMinor(closing_balance),
    }
  })
}

function toMinor(amount: number): number {
  return Math.round(amount * minorUnits)
}
