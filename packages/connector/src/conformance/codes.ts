/**
 * The codes that clients can name. A `warehouse_code` and a `product_code` are segments of a path in the public API, and
 * the gateway refuses a segment that proxies read in different ways. A code or a SKU in a query or an order is compared byte
 * by byte, so the gateway refuses what looks like another code.
 */
import { ConformanceFailure, joinSome } from './check.ts'

const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u

/** Finds why no order can name a SKU or another code; undefined if one can. */
export function findTextFlaw(code: string): string | undefined {
  if (unprintable.test(code)) return 'has a control character or an invisible one'
  if (code !== code.normalize('NFC')) return 'is not in Unicode form NFC'
  return visible.test(code) ? undefined : 'has no visible character'
}

/** Finds why no path can name a code; undefined if one can. */
export function findPathFlaw(code: string): string | undefined {
  if (/[/\\]/.test(code)) return 'has a slash or a backslash'
  if (code === '.' || code === '..') return 'is a dot segment of a path'
  return findTextFlaw(code)
}

/** Throws a `ConformanceFailure` for the codes of a field that have a flaw. */
export function requireUsableCodes(
  field: string,
  codes: Iterable<string>,
  findFlaw: (code: string) => string | undefined,
): void {
  const flaws = [...codes].flatMap((code) => {
    const flaw = findFlaw(code)
    return flaw === undefined ? [] : [`${JSON.stringify(code)}, which ${flaw}`]
  })
  if (flaws.length === 0) return
  throw new ConformanceFailure({
    expected: `each ${field} to be one that a client of the gateway can name`,
    actual: joinSome(flaws),
    remedy: 'Replace such characters in the connector, in both directions, or leave the row out.',
  })
}
