/**
 * Text that a database cannot store: NUL, which PostgreSQL rejects, and lone surrogates, which UTF-8 cannot encode. The
 * public API rejects both in requests. If a row of an ERP's response contains such text, the row is dropped and
 * counted, so that one row does not block all others.
 */

/** A response without the rows that contain unstorable text. */
export interface Storable {
  /** The response without the dropped rows. */
  readonly body: unknown
  /** The first string of each dropped row, which usually is its code, escaped for printing. */
  readonly leftOut: readonly string[]
  /** Whether unstorable text occurs outside a list, where nothing can be dropped. */
  readonly isBroken: boolean
}

/**
 * A quick test of the JSON text: unstorable text can only be written with these escapes. A valid surrogate pair may
 * match too and is then checked.
 */
const suspiciousEscape = /\\u(?:0000|d[89a-f])/i
const maxDepth = 32
const maxNameCharacters = 80

/** Drops rows with unstorable text from the lists of a response. `text` is the JSON from which `body` was parsed. */
export function dropUnstorable(text: string, body: unknown): Storable {
  if (!suspiciousEscape.test(text) || !isRecord(body)) return { body, leftOut: [], isBroken: false }
  const leftOut: string[] = []
  const kept = Object.entries(body).map(([name, value]) => {
    if (!Array.isArray(value)) return [name, value]
    return [
      name,
      value.filter((row: unknown) => {
        const isKept = isStorable(row)
        if (!isKept) leftOut.push(findFirstText(row))
        return isKept
      }),
    ]
  })
  const rest = Object.fromEntries(kept)
  return { body: rest, leftOut, isBroken: !isStorable(rest) }
}

/** Whether all strings in a value can be stored. False for a value that is nested deeper than `maxDepth`. */
export function isStorable(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  if (typeof value !== 'object' || value === null) return true
  if (depth > maxDepth) return false
  return Object.entries(value).every(([name, member]) => isStorable(name) && isStorable(member, depth + 1))
}

function findFirstText(row: unknown): string {
  const members = isRecord(row) ? Object.values(row) : [row]
  const name = members.find((member) => typeof member === 'string') ?? ''
  return JSON.stringify(name).slice(0, maxNameCharacters)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
