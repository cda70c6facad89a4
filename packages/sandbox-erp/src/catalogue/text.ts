/** How much of a value from a file is repeated in a sentence about it. */
const mostQuoted = 40

/** A value from a file as it may be shown: in quotes, control characters escaped, not longer than a line. */
export function quoted(value: string): string {
  return JSON.stringify(value.length > mostQuoted ? `${value.slice(0, mostQuoted)}…` : value)
}

/** Whether a text is one line without control characters. */
export function isOneLine(value: string): boolean {
  return !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(value)
}

/**
 * Why a text cannot be the code of a SKU or a product, or undefined when it can. Codes are compared byte for byte
 * everywhere, so that two spellings that look alike must not come in.
 */
export function codeProblem(kind: string, code: string): string | undefined {
  if (code === '') return `the ${kind} is empty`
  if (code.length > 64) return `the ${kind} ${quoted(code)} has more than 64 characters`
  if (code.trim() !== code) return `the ${kind} ${quoted(code)} begins or ends with a space`
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(code))
    return `the ${kind} ${quoted(code)} has characters that cannot be printed`
  if (code.normalize('NFC') !== code) return `the ${kind} ${quoted(code)} is not in Unicode normal form NFC`
  return undefined
}
