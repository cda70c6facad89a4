import { describe, expect, it } from 'vitest'
import { JsonError, parseJson, toCanonicalJson, toRecord, toRecords } from './json.ts'

const parse = (text: string) => parseJson(Buffer.from(text))

/** Returns the fault of a text and the key that it names; undefined if the text is accepted. */
function findFault(text: string | Uint8Array): readonly [string, string] | undefined {
  try {
    parseJson(Buffer.from(text))
    return undefined
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    return [error.fault, error.key]
  }
}

describe('a JSON text', () => {
  it('is parsed as JSON.parse does', () => {
    const text = ' {"a":[1,{"b":null,"c":"\\u00fc\\n"}],"d":{"a":"{\\"a\\":1,\\"a\\":2}"},"":-0.5e3} '
    expect(parse(text)).toEqual(JSON.parse(text))
    for (const each of ['1', '"a"', 'null', '[]', '{}', '[{},{}]'])
      expect(parse(each)).toEqual(JSON.parse(each))
  })

  it('is refused if it is not UTF-8, or no JSON, which a byte order mark makes it', () => {
    expect(findFault(Buffer.from([0x22, 0xff, 0x22]))).toEqual(['body_not_utf8', ''])
    for (const text of ['', '{', '{"a":1,}', '\ufeff{}', '{"a":1}x'])
      expect(findFault(text), text).toEqual(['body_not_json', ''])
  })
})

describe('a key that one object has twice', () => {
  it.each([
    ['as it is', '{"a":1,"a":2}', 'a'],
    ['with another between', '{"a":1,"b":{"c":3},"a":2}', 'a'],
    ['written with an escape', '{"a":1,"\\u0061":2}', 'a'],
    ['before spaces and line breaks', '{"a" :1,"a"\t\r\n :2}', 'a'],
    ['with a quote in it', '{"a\\"":1,"a\\"":2}', 'a"'],
    ['with a quote in its middle', '{"a\\"b":1,"a\\"b":2}', 'a"b'],
    ['with a backslash at its end', '{"a\\\\":1,"a\\\\":2}', 'a\\'],
    ['with two backslashes and a quote', '{"a\\\\\\"":1,"a\\\\\\"":2}', 'a\\"'],
    ['that is empty', '{"":1,"":2}', ''],
    ['deep inside', '[[{"x":[{"a":1,"a":2}]}]]', 'a'],
    ['after an object that ended', '{"x":{"a":1},"a":1,"a":2}', 'a'],
    ['after an array that ended', '{"x":[{"a":1}],"a":1,"a":2}', 'a'],
    ['after a string that looks like the end', '{"a":"}","a":2}', 'a'],
    ['after a string that ends with a quote', '{"a":"\\"","a":2}', 'a'],
  ])('is refused: %s', (_name, text, key) => {
    expect(findFault(text)).toEqual(['body_duplicate_key', key])
  })

  it.each([
    ['in two objects beside each other', '[{"a":1},{"a":2}]'],
    ['in an object and the one around it', '{"a":{"a":{"a":1}}}'],
    ['in an object and again after it', '{"x":{"a":1},"a":2}'],
    ['as key and as value', '{"a":"a","b":"a"}'],
    ['in another spelling', '{"a":1,"A":2,"a ":3}'],
    ['inside a string', '{"a":"\\"a\\":1","b":"{\\"a\\":1,\\"a\\":2}"}'],
    ['as items of an array', '["a","a"]'],
    ['as a string before a colon that is a string', '["a",":","a",":"]'],
  ])('is accepted where no object has it twice: %s', (_name, text) => {
    expect(parse(text)).toEqual(JSON.parse(text))
  })
})

describe('a key that changes objects', () => {
  it.each(['__proto__', 'constructor', 'prototype'])('is refused at any depth: %s', (key) => {
    for (const text of [
      `{"${key}":1}`,
      `[{"a":{"${key}":{}}}]`,
      `{"\\u00${key.charCodeAt(0).toString(16)}${key.slice(1)}":1}`,
    ])
      expect(findFault(text), text).toEqual(['body_forbidden_key', key])
    expect(findFault(`{"a":"${key}"}`)).toBeUndefined()
  })
})

describe('the depth of a text', () => {
  const nest = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth)

  it('is at most 32, of arrays and objects together', () => {
    expect(findFault(nest('[', ']', 32))).toBeUndefined()
    expect(findFault(nest('[', ']', 33))).toEqual(['body_too_deep', ''])
    const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
    expect(findFault(objects(32))).toBeUndefined()
    expect(findFault(objects(33))).toEqual(['body_too_deep', ''])
    const mixed = (depth: number) => `${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)}`
    expect(findFault(mixed(16))).toBeUndefined()
    expect(findFault(`[${mixed(16)}]`)).toEqual(['body_too_deep', ''])
  })

  it('counts what is open, not what has ended or stands in strings', () => {
    for (const item of ['[]', '{}', '[[]]', '{"a":[]}', '"[["', '"{"'])
      expect(findFault(`[${Array.from({ length: 40 }, () => item).join()}]`), item).toBeUndefined()
  })
})

describe('the canonical text of a value', () => {
  it('does not depend on the order of keys, at any depth, and keeps the order of arrays', () => {
    expect(toCanonicalJson({ b: [{ d: 1, c: null }, 2], a: 'x' })).toBe('{"a":"x","b":[{"c":null,"d":1},2]}')
    expect(toCanonicalJson({ c: 1, a: 2, b: 3 })).toBe('{"a":2,"b":3,"c":1}')
    expect(toCanonicalJson([])).toBe('[]')
    expect(toCanonicalJson(null)).toBe('null')
  })
})

describe('a value that should be a record', () => {
  it('is empty if it is not one', () => {
    const record = { a: 1 }
    expect(toRecord(record)).toBe(record)
    for (const other of [null, undefined, 'a', 1, [1]]) expect(toRecord(other)).toEqual({})
  })

  it('is one of a list, or the list is empty', () => {
    expect(toRecords([{ a: 1 }, null, [2], 'b'])).toEqual([{ a: 1 }, {}, {}, {}])
    for (const other of [null, undefined, { length: 1 }, 'ab']) expect(toRecords(other)).toEqual([])
  })
})
