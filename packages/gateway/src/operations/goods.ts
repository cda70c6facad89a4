import type { Caller } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import { notFilled } from '../contract/filling.ts'
import type { Gateway } from '../gateway.ts'

export interface Line {
  readonly sku: string
  readonly quantity: number
}

/**
 * Checks that every line's SKU exists and that the channel's customer may order it. Throws `NOT_FOUND` with
 * `sku_unknown` and `VALIDATION_FAILED` with `sku_blocked`, naming the line.
 */
export function checkGoods(
  gateway: Gateway,
  caller: Caller,
  lines: readonly Line[],
  paramOf: (index: number) => string,
) {
  const { reference } = gateway.mirror
  if (!reference.isFilled) throw notFilled('products')
  for (const [index, { sku }] of lines.entries()) {
    if (!reference.productOfSku(sku)) {
      throw new GatewayError('NOT_FOUND', {
        param: paramOf(index),
        reason: 'sku_unknown',
        say: ['sku_unknown', { sku }],
      })
    }
    if (caller.customer_code !== null && !reference.maySell(caller.customer_code, sku)) {
      throw new GatewayError('VALIDATION_FAILED', {
        param: paramOf(index),
        reason: 'sku_blocked',
        say: ['sku_blocked', { sku }],
      })
    }
  }
}

/** The param of a line's SKU in a list of lines. */
export function skuOfLine(index: number): string {
  return `lines[${index}].sku`
}

/** A SKU may stand on one line only: merging would hide a client's mistake. Shape, so before quota and state. */
export function firstDouble(lines: readonly Line[]): number | undefined {
  const seen = new Set<string>()
  for (const [index, { sku }] of lines.entries()) {
    if (seen.has(sku)) return index
    seen.add(sku)
  }
  return undefined
}

/** The style of a SKU; the SKU itself while the products are not read. */
export function styleOf(gateway: Gateway, sku: string): string {
  return gateway.mirror.reference.productOfSku(sku)?.product_code ?? sku
}
