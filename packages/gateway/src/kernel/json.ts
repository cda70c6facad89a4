/**
 * A stricter `JSON.parse` for untrusted input. Two parsers may treat a duplicate key or a lone surrogate differently,
 * and an attacker could use that difference to pass a check.
 */

/** The deepest nesting of arrays and objects that is accepted. */
export const maxDepth = 32

const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype'])

/** Why a text was refused. Each value is the id of a sentence in the caller's language. */
export type JsonFault =
  | 'body_not_utf8'
  | 'body_not_json'
  | 'body_too_deep'
  | 'body_duplicate_key'
  | 'body_forbidden_key'

export class JsonError extends Error {
  readonly fault: JsonFault
  readonly key: string

  constructor(fault: JsonFault, key = '') {
    super(fault)
    this.fault = fault
    this.key = key
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Parses UTF-8 bytes. Throws `JsonError`. */
export function parseJson(bytes: Uint8Array): unknown {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw new JsonError('body_not_utf8')
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new JsonError('body_not_json')
  }
  checkKeys(text)
  return value
}

const code = {
  quote: 34,
  backslash: 92,
  colon: 58,
  openArray: 91,
  closeArray: 93,
  open: 123,
  close: 125,
} as const
const highestSpace = 32

/** Scans valid JSON text and refuses duplicate keys, forbidden keys and nesting that is too deep. */
function checkKeys(text: string) {
  const levels: (Set<string> | undefined)[] = []
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === code.quote) {
      const end = findStringEnd(text, at)
      if (isFollowedByColon(text, end)) noteKey(levels.at(-1), decodeString(text, at, end))
      at = end
    } else if (character === code.open || character === code.openArray) {
      if (levels.push(character === code.open ? new Set() : undefined) > maxDepth)
        throw new JsonError('body_too_deep')
    } else if (character === code.close || character === code.closeArray) {
      levels.pop()
    }
  }
}

function noteKey(keys: Set<string> | undefined, key: string) {
  if (forbiddenKeys.has(key)) throw new JsonError('body_forbidden_key', key)
  if (keys?.has(key)) throw new JsonError('body_duplicate_key', key)
  keys?.add(key)
}

/** Decodes the string between the quotes at `start` and `end`. */
function decodeString(text: string, start: number, end: number): string {
  const inside = text.slice(start + 1, end)
  return inside.includes('\\') ? JSON.parse(text.slice(start, end + 1)) : inside
}

/** Finds the closing quote: the first one after an even number of backslashes. */
function findStringEnd(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1
  while (text.charCodeAt(before) === code.backslash) before--
  return (at - before) % 2 === 0
}

function isFollowedByColon(text: string, end: number): boolean {
  let at = end + 1
  while (text.charCodeAt(at) <= highestSpace) at++
  return text.charCodeAt(at) === code.colon
}

/**
 * Formats a value as canonical text: sorted keys and no spaces. Use it only for values that were parsed, because their
 * depth is limited.
 */
export function toCanonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}

/** Returns a value as a record; anything that is not an object becomes an empty record. */
export function toRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {}
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the items of an array as records. Anything that is not an array becomes an empty list. */
export function toRecords(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map(toRecord) : []
}
