import { maxLines } from '@trade-gateway/connector'
import { GatewayError } from '../contract/errors.ts'
import { toNotFilledError } from '../contract/not-filled.ts'
import type { CallContext } from '../endpoint.ts'
import type { Gateway } from '../gateway.ts'
import type { Line } from '../store/tables.ts'

/**
 * Checks that every SKU exists and that the channel's customer may order it. Throws `NOT_FOUND` with `sku_unknown`, or
 * `VALIDATION_FAILED` with `sku_blocked`, with the line as `param`. Throws `UPSTREAM_ERROR` until the products and the
 * customer's catalogue have been read.
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
  for (const [index, { sku }] of lines.entries()) {
    if (!reference.findProductOfSku(sku)) {
      throw new GatewayError('NOT_FOUND', {
        param: paramOf(index),
        reason: 'sku_unknown',
        say: ['sku_unknown', { sku }],
      })
    }
    if (customer_code !== null && !reference.maySell(customer_code, sku)) {
      throw new GatewayError('VALIDATION_FAILED', {
        param: paramOf(index),
        reason: 'sku_blocked',
        say: ['sku_blocked', { sku }],
      })
    }
  }
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
