import { maxLines } from '@trade-gateway/connector'
import { GatewayError, type Problem } from '../contract/errors.ts'
import { toNotFilledError } from '../contract/not-filled.ts'
import type { CallContext } from '../endpoint.ts'
import type { Gateway } from '../gateway.ts'
import type { Line } from '../store/tables.ts'

/** The largest number of lines that an error names. */
const maxNamedLines = 20

/**
 * Checks that every SKU exists and that the channel's customer may order it. Throws `NOT_FOUND` with `sku_unknown`, or
 * `VALIDATION_FAILED` with `sku_blocked`, with the first such line as `param` and all of them in `errors`. Throws
 * `UPSTREAM_ERROR` until the products and the customer's catalogue have been read.
 */
export function checkGoods(
  { gateway, caller }: Pick<CallContext, 'gateway' | 'caller'>,
  lines: readonly Line[],
  paramOf: (index: number) => string,
) {
  const { reference } = gateway.mirror
  const { customer_code } = caller
  if (!reference.isFilled) throw toNotFilledError('products')
  if (customer_code !== null && !reference.knowsCustomer(customer_code)) throw toNotFilledError('customer')
  const isUnknown = (sku: string) => reference.findProductOfSku(sku) === undefined
  refuseLines(lines, paramOf, { code: 'NOT_FOUND', reason: 'sku_unknown', isRefused: isUnknown })
  if (customer_code === null) return
  const isBlocked = (sku: string) => !reference.maySell(customer_code, sku)
  refuseLines(lines, paramOf, { code: 'VALIDATION_FAILED', reason: 'sku_blocked', isRefused: isBlocked })
}

interface Refusal {
  readonly code: 'NOT_FOUND' | 'VALIDATION_FAILED'
  /** The reason, and the sentence that explains it. */
  readonly reason: 'sku_unknown' | 'sku_blocked'
  readonly isRefused: (sku: string) => boolean
}

function refuseLines(
  lines: readonly Line[],
  paramOf: (index: number) => string,
  { code, reason, isRefused }: Refusal,
): void {
  const problems = lines.flatMap(({ sku }, index): Problem[] =>
    isRefused(sku) ? [{ param: paramOf(index), say: [reason, { sku }] }] : [],
  )
  const [first] = problems
  if (!first) return
  const errors = problems.length > 1 ? { errors: problems.slice(0, maxNamedLines) } : {}
  throw new GatewayError(code, { ...first, reason, ...errors })
}

/** Refuses more lines than the ERP takes in one order. Throws `VALIDATION_FAILED`. */
export function checkLineCount({ upstream }: Gateway, lines: readonly Line[], param: string): void {
  const most = upstream.known?.max_lines ?? maxLines
  if (lines.length <= most) return
  throw new GatewayError('VALIDATION_FAILED', {
    param,
    reason: 'invalid_field',
    say: ['lines_most', { most, count: lines.length }],
  })
}

/** Returns the `param` for the SKU of a line in `lines`. */
export function toLineSkuParam(index: number): string {
  return `lines[${index}].sku`
}

/** Returns the `param` for a SKU of `lines` that the ERP did not name: only a single line is sure to have it. */
export function toLinesParam(lines: readonly Line[]): string {
  return lines.length === 1 ? toLineSkuParam(0) : 'lines'
}

/**
 * Finds the first line that repeats a SKU. Merging such lines would hide a client's mistake. The schema performs this
 * check, so it runs before points are charged and before stored state is read.
 */
export function findDoubleLine(lines: readonly Line[]): number | undefined {
  const seen = new Set<string>()
  for (const [index, { sku }] of lines.entries()) {
    if (seen.has(sku)) return index
    seen.add(sku)
  }
  return undefined
}

/** Finds the style of a SKU; returns the SKU itself until the products have been read. */
export function findStyleOf(gateway: Gateway, sku: string): string {
  return gateway.mirror.reference.findProductOfSku(sku)?.product_code ?? sku
}
