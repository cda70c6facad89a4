/** The maximum number of characters of a value from a file that a message quotes. */
const maxQuotedCharacters = 40

/** Formats a value from a file for a message: in quotes, with control characters escaped, and shortened. */
export function quoteText(value: string): string {
  const shown = value.length > maxQuotedCharacters ? `${value.slice(0, maxQuotedCharacters)}…` : value
  return escapeControls(JSON.stringify(shown))
}

/** Escapes what would end the line or change the terminal as JSON does, which escapes only a part of it. */
export function escapeControls(text: string): string {
  const escapeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (each) =>
    each.split('').map(escapeUnit).join(''),
  )
}

/** Whether a text is one line without control characters. */
export function isOneLine(value: string): boolean {
  return !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(value)
}

/**
 * Returns why a text cannot be the code of a SKU or a product; undefined if it can. Codes are compared by bytes
 * everywhere, so codes that only look alike must be rejected.
 */
export function findCodeProblem(kind: string, code: string): string | undefined {
  if (code === '') return `the ${kind} is empty`
  if (code.length > 64) return `the ${kind} ${quoteText(code)} has more than 64 characters`
  if (code.trim() !== code) return `the ${kind} ${quoteText(code)} begins or ends with a space`
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(code))
    return `the ${kind} ${quoteText(code)} has characters that cannot be printed`
  if (code.normalize('NFC') !== code)
    return `the ${kind} ${quoteText(code)} is not in Unicode normal form NFC`
  return undefined
}
