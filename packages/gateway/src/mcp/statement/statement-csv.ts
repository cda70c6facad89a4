/** The lists of a statement as CSV, for clients that store them. A model needs only the link. */

import { z } from 'zod'
import { listColumns, toCsv } from '../../contract/csv.ts'
import { GatewayError } from '../../contract/errors.ts'
import { billsList, freightBillsList, refundsList, transactionsList } from '../../ledger/endpoints.ts'
import type { ResourceLink } from '../action.ts'
import type { ActionContext } from '../action-context.ts'
import { readAllPages, type StatementKind } from './read-statement.ts'

/** The lists that have a date range. */
const endpoints = {
  transactions: transactionsList,
  bills: billsList,
  refunds: refundsList,
  freight_bills: freightBillsList,
} as const
type DatedKind = keyof typeof endpoints

const mimeType = 'text/csv'
const pattern = /^tgw:\/\/statements\/(\w+)\/(\d{4}-\d\d-\d\d)\/(\d{4}-\d\d-\d\d)\.csv$/

export const statementTemplate = {
  uriTemplate: 'tgw://statements/{list}/{start_date}/{end_date}.csv',
  name: 'statement',
  description: `${Object.keys(endpoints).join(', ')} as CSV; 1 point per page of 200 rows`,
  mimeType,
}

interface Days {
  readonly start_date: string
  readonly end_date: string
}

/** Lists links to the lists of a statement. Balances are current and have no dates, so they have no link. */
export function linkStatement(
  kinds: readonly StatementKind[],
  { start_date, end_date }: Days,
): ResourceLink[] {
  return kinds.filter(isDated).map((kind) => ({
    type: 'resource_link',
    uri: `tgw://statements/${kind}/${start_date}/${end_date}.csv`,
    name: `${kind}-${start_date}-${end_date}.csv`,
    mimeType,
  }))
}

function isDated(kind: string): kind is DatedKind {
  return Object.hasOwn(endpoints, kind)
}

interface StatementList extends Days {
  readonly kind: DatedKind
}

/** Parses the URI of a link; undefined if it is another URI. */
export function parseStatementUri(uri: string): StatementList | undefined {
  const [, kind = '', start_date = '', end_date = ''] = pattern.exec(uri) ?? []
  return isDated(kind) ? { kind, start_date, end_date } : undefined
}

/** Reads a list as one CSV file. Throws `VALIDATION_FAILED` if the list is too long to be read completely. */
export async function readStatementCsv(context: ActionContext, { kind, ...days }: StatementList) {
  const endpoint = endpoints[kind]
  const { rows, isCut } = await readAllPages(context, endpoint.path, z.looseObject({}), days, () => {})
  if (isCut) {
    const say = ['statement_too_long', { most: rows.length }] as const
    throw new GatewayError('VALIDATION_FAILED', { param: 'start_date', reason: 'invalid_field', say })
  }
  return { mimeType, text: toCsv(listColumns(endpoint), rows) }
}
