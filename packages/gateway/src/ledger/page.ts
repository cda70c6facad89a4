import type {
  CallOptions,
  ErpFreightBill,
  ErpRefund,
  ErpResult,
  ErpTransaction,
} from '@trade-gateway/connector'
import type { Call, Caller } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import { parseWindow, toEmptyPage } from '../contract/lists.ts'
import type { Gateway } from '../gateway.ts'
import { formatInstant } from '../kernel/clock.ts'
import { askErp } from '../writes/ask.ts'
import { type DocumentIds, loadDocumentIds } from './names.ts'
import { formatPlace, type StatementQuery, toSpan } from './span.ts'

/** A request for a statement list and its caller. */
export interface StatementRequest<Query extends StatementQuery = StatementQuery> {
  readonly gateway: Gateway
  readonly call: Call
  readonly caller: Caller
  readonly input: Query
}

/** The input of each statement operation of the ERP. */
export interface ListInput {
  readonly customer_code: string
  readonly currency: string | null
  readonly from: string
  readonly to: string | null
  readonly after: string | null
  readonly skip: number
  readonly limit: number
}

/** A statement list of the ERP, and the functions that convert its rows. */
interface StatementList<Reported, Row, Shown> {
  readonly name: string
  ask(input: ListInput, options: CallOptions): Promise<ErpResult<Reported>>
  toRows(reported: Reported): readonly Row[]
  toJson(row: Row, names: DocumentIds): Shown
}

interface ReportedPage {
  readonly as_of: string
  readonly next: string | null
}

/**
 * Reads one page of a statement list. A channel without a customer has no statements. Throws `UPSTREAM_*`, and
 * `VALIDATION_FAILED` for a currency in which the customer has no account.
 */
export async function readStatementPage<Reported extends ReportedPage, Row extends object, Shown>(
  request: StatementRequest,
  list: StatementList<Reported, Row, Shown>,
) {
  const { gateway, caller, input } = request
  const { customer_code } = caller
  if (customer_code === null) {
    const none: Shown[] = []
    return {
      reported: undefined,
      body: { ...toEmptyPage(parseWindow(input, gateway.clock.now())), data: none },
    }
  }
  const { reported, as_of, offset } = await fetchPageOfErpDay(request, list, customer_code)
  const rows = list.toRows(reported)
  const names = await loadDocumentIds(gateway, caller, rows.flatMap(listReferences))
  const { page, page_size } = input
  const { next: after } = reported
  const body = {
    data: rows.map((row) => list.toJson(row, names)),
    has_more: after !== null,
    page,
    page_size,
    as_of,
    next_cursor: after === null ? null : formatPlace({ offset: offset + page_size, after }),
  }
  return { reported, body }
}

/**
 * Fetches a page. If the caller gives no dates, the date range ends on the day of `as_of`. Without `as_of`, the first
 * fetch uses the gateway's clock, and `as_of` is then the time the ERP reports. If that time gives a different range,
 * the page is fetched again with it, so that the following pages, which send this `as_of`, cover the same range.
 */
async function fetchPageOfErpDay<Reported extends ReportedPage, Row, Shown>(
  request: StatementRequest,
  list: StatementList<Reported, Row, Shown>,
  customer_code: string,
) {
  const { gateway, input } = request
  const first = await fetchPage(request, list, customer_code)
  const isDated = input.start_date !== undefined || input.end_date !== undefined
  const pinned = { ...input, as_of: first.as_of }
  if (isDated || parseWindow(pinned, gateway.clock.now()).from === first.from) return first
  return fetchPage({ ...request, input: pinned }, list, customer_code)
}

async function fetchPage<Reported extends ReportedPage, Row, Shown>(
  request: StatementRequest,
  list: StatementList<Reported, Row, Shown>,
  customer_code: string,
) {
  const { gateway, call, input } = request
  const span = toSpan(input, gateway.clock.now())
  const reported = await askInCurrency(call, input, async (currency, options) => {
    const erpInput = { customer_code, currency, ...span.input }
    const answer = await list.ask(erpInput, options)
    const isLost = erpInput.after !== null && isInvalidFieldRejection(answer)
    return isLost ? list.ask({ ...erpInput, ...span.passedOver }, options) : answer
  })
  const as_of = input.as_of ?? normalizeInstant(reported.as_of)
  return { reported, as_of, from: Date.parse(span.input.from), offset: span.offset }
}

/**
 * Asks the ERP and unwraps its response. If the ERP refuses a request with a currency as invalid, the same request is
 * repeated without the currency. If that succeeds, the currency was the caller's mistake; any other refusal is passed
 * on.
 */
export function askInCurrency<T>(
  call: Call,
  { currency }: StatementQuery,
  ask: (currency: string | null, options: CallOptions) => Promise<ErpResult<T>>,
): Promise<T> {
  return askErp(call, async (options) => {
    const answer = await ask(currency ?? null, options)
    if (!isInvalidFieldRejection(answer) || currency === undefined) return answer
    if ('rejected' in (await ask(null, options))) return answer
    throw new GatewayError('VALIDATION_FAILED', {
      param: 'currency',
      reason: 'invalid_field',
      say: ['currency_unknown', { currency }],
    })
  })
}

function isInvalidFieldRejection(answer: ErpResult<unknown>): boolean {
  return 'rejected' in answer && answer.rejected.reason === 'invalid_field'
}

/** Lists the reference of the order that a row is about, if there is one. */
function listReferences(row: object | ErpTransaction | ErpRefund | ErpFreightBill): string[] {
  const order = 'document' in row ? row.document : 'order' in row ? row.order : null
  return order?.reference ? [order.reference] : []
}

/** Formats a time as the gateway does, because an ERP may write it with fewer digits. */
export function normalizeInstant(time: string): string {
  return formatInstant(Date.parse(time))
}
