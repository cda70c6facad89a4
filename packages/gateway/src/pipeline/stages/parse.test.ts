import { describe, expect, it } from 'vitest'
import { GatewayError } from '../../contract/errors.ts'
import { parseQuery, requireMediaType } from './parse.ts'

/** Runs `work` and returns the code of its refusal with the sentence; undefined if nothing is refused. */
function findRefusal(work: () => unknown) {
  try {
    work()
    return undefined
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    const { status, param, reason, say } = error.facts
    return { code: error.code, status, param, reason, sentence: say?.[0], words: say?.[1] }
  }
}

describe('a query', () => {
  it.each([
    ['', {}],
    ['a=1&b=2', { a: '1', b: '2' }],
    ['&a=1&&b=2&', { a: '1', b: '2' }],
    ['a', { a: '' }],
    ['a=', { a: '' }],
    ['=1', { '': '1' }],
    ['a=b=c', { a: 'b=c' }],
    ['a=x+y%2Bz%20%C3%BC', { a: 'x y+z ü' }],
    ['a+b=1', { 'a b': '1' }],
    ['%61=1', { a: '1' }],
    ['toString=1&constructor=2', { toString: '1', constructor: '2' }],
  ])('is read as browsers write it: %s', (rawQuery, query) => {
    expect({ ...parseQuery({ rawQuery }) }).toEqual(query)
  })

  it.each([
    ['a=1&a=1', 'a'],
    ['a=1&b=2&%61=3', 'a'],
    ['a&a', 'a'],
    ['toString=1&toString=2', 'toString'],
  ])('is refused if a parameter is there twice: %s', (rawQuery, param) => {
    expect(findRefusal(() => parseQuery({ rawQuery }))).toEqual({
      code: 'VALIDATION_FAILED',
      status: undefined,
      param,
      reason: 'invalid_field',
      sentence: 'parameter_twice',
      words: { param },
    })
  })

  it('is refused if a parameter would disappear in an object', () => {
    for (const rawQuery of ['__proto__=1', '%5f_proto__=1'])
      expect(findRefusal(() => parseQuery({ rawQuery }, ['cursor', 'sku']))).toMatchObject({
        code: 'VALIDATION_FAILED',
        param: '__proto__',
        sentence: 'parameter_unknown',
        words: { known: 'cursor, sku' },
      })
  })

  it.each(['a=%', 'a=%zz', 'a=%ff', '%c0%af=1', 'a=%ed%a0%80'])(
    'is refused if it is no text: %s',
    (rawQuery) => {
      expect(findRefusal(() => parseQuery({ rawQuery }))).toMatchObject({
        code: 'BAD_REQUEST',
        sentence: 'query_malformed',
      })
    },
  )
})

describe('the media type of a body', () => {
  const json = 'application/json'
  const form = 'application/x-www-form-urlencoded'
  const read = (...types: readonly string[]) =>
    requireMediaType({ header: (name) => (name === 'content-type' ? types : []) }, [json, form])

  it.each([
    json,
    'Application/JSON',
    `${json};charset=utf-8`,
    `${json} ; Charset="UTF-8"`,
    `${json}; charset=utf-8; version=1`,
  ])('is one that the endpoint reads, in UTF-8: %s', (type) => {
    expect(read(type)).toBe(json)
    expect(read(form)).toBe(form)
  })

  it.each([
    ['none', []],
    ['an empty one', ['']],
    ['another', ['text/plain']],
    ['one that only begins so', ['application/json5']],
    ['two headers', [json, json]],
    ['another charset', [`${json}; charset=latin1`]],
    ['two charsets of which one is another', [`${json}; charset=utf-8; charset=latin1`]],
    ['a charset that only ends so', [`${json}; charset=x-utf-8`]],
    ['a charset that only begins so', [`${json}; charset=utf-8x`]],
    ['half a quote', [`${json}; charset="utf-8`]],
    ['a charset without a value', [`${json}; charset`]],
  ])('is refused with status 415: %s', (_name, types) => {
    expect(findRefusal(() => read(...types))).toEqual({
      code: 'BAD_REQUEST',
      status: 415,
      param: undefined,
      reason: undefined,
      sentence: 'body_type',
      words: { type: types[0] ?? '', expected: `${json} or ${form}` },
    })
  })
})
