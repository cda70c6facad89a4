import type { Answer, CallOptions, ErpFreightBill, ErpRefund, ErpTransaction } from '@trade-gateway/connector'
import type { Call, Caller } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import { pageOf, windowOf } from '../contract/lists.ts'
import type { Gateway } from '../gateway.ts'
import { instant } from '../kernel/clock.ts'
import { asked } from '../operations/ask.ts'
import { type Names, namesFor } from './names.ts'
import { nextLink, type StatementQuery, spanOf } from './span.ts'

/** Who asks for statements, and for which. */
export interface Question<Query extends StatementQuery = StatementQuery> {
  readonly gateway: Gateway
  readonly call: Call
  readonly caller: Caller
  readonly input: Query
}

/** What each of the ERP's lists is asked with. */
export interface ListInput {
  readonly customer_code: string
  readonly currency: string | null
  readonly from: string
  readonly to: string | null
  readonly after: string | null
  readonly skip: number
  readonly limit: number
}

/** A list of the ERP, and how its rows are shown. */
interface StatementList<Told, Row, Shown> {
  readonly name: string
  ask(input: ListInput, options: CallOptions): Promise<Answer<Told>>
  rowsOf(told: Told): readonly Row[]
  shown(row: Row, names: Names): Shown
}

interface ToldPage {
  readonly as_of: string
  readonly next: string | null
}

/**
 * One page of a list as the ERP tells it, its envelope and its headers; a channel without a customer has no
 * statements. Throws `UPSTREAM_*`, and `VALIDATION_FAILED` for a currency in which there is no account.
 */
export async function statementPage<Told extends ToldPage, Row extends object, Shown>(
  question: Question,
  list: StatementList<Told, Row, Shown>,
) {
  const { gateway, call, caller, input } = question
  const { customer_code } = caller
  if (customer_code === null) {
    const none: Shown[] = []
    return { told: undefined, body: pageOf(windowOf(input, gateway.clock.now()), none), headers: [] }
  }
  const { told, as_of } = await pageOfItsDay(question, list, customer_code)
  const rows = list.rowsOf(told)
  const names = await namesFor(gateway, caller, rows.flatMap(referenceIn))
  const { page, page_size } = input
  const body = {
    data: rows.map((row) => list.shown(row, names)),
    has_more: told.next !== null,
    page,
    page_size,
    as_of,
  }
  return { told, body, headers: body.has_more ? nextLink(call, body) : [] }
}

/**
 * The default days of a list are those before `as_of`, and on a page that was asked for without one that is the ERP's
 * time: where its day is not ours yet, or no more, the page is asked for again, or the ones behind it would not fit.
 */
async function pageOfItsDay<Told extends ToldPage, Row, Shown>(
  question: Question,
  list: StatementList<Told, Row, Shown>,
  customer_code: string,
) {
  const { gateway, input } = question
  const first = await pageTold(question, list, customer_code)
  const isDated = input.start_date !== undefined || input.end_date !== undefined
  const pinned = { ...input, as_of: first.as_of }
  if (isDated || windowOf(pinned, gateway.clock.now()).from === first.from) return first
  return pageTold({ ...question, input: pinned }, list, customer_code)
}

async function pageTold<Told extends ToldPage, Row, Shown>(
  { gateway, call, caller, input }: Question,
  list: StatementList<Told, Row, Shown>,
  customer_code: string,
) {
  const span = spanOf(gateway, caller, list.name, input)
  const told = await toldBy(call, input, async (currency, options) => {
    const erpInput = { customer_code, currency, ...span.input }
    const answer = await list.ask(erpInput, options)
    const isLost = erpInput.after !== null && isInvalid(answer)
    return isLost ? list.ask({ ...erpInput, ...span.passedOver }, options) : answer
  })
  const as_of = input.as_of ?? timeShown(told.as_of)
  span.remember(as_of, told.next)
  return { told, as_of, from: Date.parse(span.input.from) }
}

/**
 * What the ERP tells. It knows the currencies of its accounts: one that it refuses is the caller's mistake. Whether it
 * is the currency that it refuses shows when it is asked the same without one; any other refusal is passed on.
 */
export function toldBy<T>(
  call: Call,
  { currency }: StatementQuery,
  question: (currency: string | null, options: CallOptions) => Promise<Answer<T>>,
): Promise<T> {
  return asked(call, async (options) => {
    const answer = await question(currency ?? null, options)
    if (!isInvalid(answer) || currency === undefined) return answer
    if ('rejected' in (await question(null, options))) return answer
    throw new GatewayError('VALIDATION_FAILED', {
      param: 'currency',
      reason: 'invalid_field',
      say: ['currency_unknown', { currency }],
    })
  })
}

function isInvalid(answer: Answer<unknown>): boolean {
  return 'rejected' in answer && answer.rejected.reason === 'invalid_field'
}

/** The reference of the order that a row is about, where it has one. */
function referenceIn(row: object | ErpTransaction | ErpRefund | ErpFreightBill): string[] {
  const order = 'document' in row ? row.document : 'order' in row ? row.order : null
  return order?.reference ? [order.reference] : []
}

/** An ERP may write its times with fewer digits than we do. */
export function timeShown(time: string): string {
  return instant(Date.parse(time))
}
