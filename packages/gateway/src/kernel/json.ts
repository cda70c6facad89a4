/**
 * JSON as a border reads it: stricter than `JSON.parse`, because two readers that resolve a doubt differently (a
 * duplicate key, a lone surrogate) are a way around every check.
 */

/** The deepest nesting of arrays and objects that is read. */
export const mostDepth = 32

const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype'])

/** Why a text was not taken; the words are sentence ids for the caller's language. */
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

/** Walks a text that is known to be JSON and refuses duplicate and forbidden keys and too deep a nesting. */
function checkKeys(text: string) {
  const levels: (Set<string> | undefined)[] = []
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === code.quote) {
      const end = endOfString(text, at)
      if (followsColon(text, end)) noteKey(levels.at(-1), stringOf(text, at, end))
      at = end
    } else if (character === code.open || character === code.openArray) {
      if (levels.push(character === code.open ? new Set() : undefined) > mostDepth)
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

/** The string that begins and ends at these quotes. */
function stringOf(text: string, start: number, end: number): string {
  const inside = text.slice(start + 1, end)
  return inside.includes('\\') ? JSON.parse(text.slice(start, end + 1)) : inside
}

/** The quote that ends a string: one before which stands an even number of backslashes. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1
  while (text.charCodeAt(before) === code.backslash) before--
  return (at - before) % 2 === 0
}

function followsColon(text: string, end: number): boolean {
  let at = end + 1
  while (text.charCodeAt(at) <= highestSpace) at++
  return text.charCodeAt(at) === code.colon
}

/** One text per value: keys sorted, no spaces. Only for values that were parsed and bounded. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
