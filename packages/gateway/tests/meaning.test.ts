import { describe, expect, it } from 'vitest'
import { findBreaks, type OpenApi, type Schema } from './growth.ts'
import { findDifferences } from './meaning.ts'

function buildApi(request: Schema, answer: Schema = {}, header: Schema = {}, summary = 'Do it'): OpenApi {
  const content = (field: Schema) => ({
    'application/json': { schema: { type: 'object', properties: { field } } },
  })
  const responses = { 200: { headers: { 'X-Age': { schema: header } }, content: content(answer) } }
  return {
    openapi: '3.1.0',
    paths: { '/things': { post: { summary, requestBody: { content: content(request) }, responses } } },
  }
}

const findLimits = (released: OpenApi, current: OpenApi) => findDifferences(released, current).limits

describe('a limit of a request', () => {
  const inRequest = (was: Schema, is: Schema) => findLimits(buildApi(was), buildApi(is))

  it.each([
    ['a new one', {}, { maxLength: 64 }, 'request .field: maxLength 64'],
    ['a lower maximum', { maximum: 10 }, { maximum: 9 }, 'request .field: maximum 9'],
    ['a higher minimum', { minimum: 0 }, { minimum: 1 }, 'request .field: minimum 1'],
    ['a shorter list', { maxItems: 5 }, { maxItems: 4 }, 'request .field: maxItems 4'],
    ['another form', { format: 'date-time' }, { format: 'date' }, 'request .field: format date'],
    ['another pattern', { pattern: 'a+' }, { pattern: 'a' }, 'request .field: pattern a'],
    ['a coarser step', { multipleOf: 2 }, { multipleOf: 3 }, 'request .field: multipleOf 3'],
    ['closed objects', {}, { additionalProperties: false }, 'request .field: additionalProperties false'],
    [
      'one of a nullable field',
      { type: ['string', 'null'], maxLength: 9 },
      { anyOf: [{ type: 'string', maxLength: 8 }, { type: 'null' }] },
      'request .field: maxLength 8',
    ],
    [
      'the narrower of two that hold together',
      { maxLength: 9 },
      { allOf: [{ maxLength: 9 }, { maxLength: 8 }] },
      'request .field: maxLength 8',
    ],
  ] as const)('is reported: %s', (_what, was, is, limit) => {
    expect(inRequest(asSchema(was), asSchema(is))).toEqual([limit])
  })

  it.each([
    ['a higher maximum', { maximum: 10 }, { maximum: 11 }],
    ['a lower minimum', { minimum: 1 }, { minimum: 0 }],
    ['one that is gone', { maxLength: 64 }, {}],
    ['a finer step', { multipleOf: 4 }, { multipleOf: 2 }],
    ['a pattern that spells out the format', { format: 'date' }, { format: 'date', pattern: '^\\d+$' }],
    ['one of one form only', {}, { anyOf: [{ type: 'string', maxLength: 8 }, { type: 'string' }] }],
  ] as const)('may widen: %s', (_what, was, is) => {
    expect(inRequest(asSchema(was), asSchema(is))).toEqual([])
  })
})

describe('a limit of a response', () => {
  const inAnswer = (was: Schema, is: Schema) => findLimits(buildApi({}, was), buildApi({}, is))

  it('is reported if it is gone or wider', () => {
    expect(inAnswer({ minimum: 0 }, {})).toEqual(['answer .field: without minimum 0'])
    expect(inAnswer({ maxLength: 8 }, { maxLength: 9 })).toEqual(['answer .field: without maxLength 8'])
  })

  it('may narrow', () => {
    expect(inAnswer({ maxLength: 8 }, { maxLength: 7, minLength: 1 })).toEqual([])
  })
})

describe('a header of a response', () => {
  it('keeps its type and its limits', () => {
    const released = buildApi({}, {}, { type: 'integer', minimum: 0 })
    expect(findBreaks(released, buildApi({}, {}, { type: 'string' }))).toEqual([
      'POST /things answer 200 header x-age may now be string',
    ])
    expect(findLimits(released, buildApi({}, {}, { type: 'integer' }))).toEqual([
      'answer header x-age: without minimum 0',
    ])
  })
})

describe('a text', () => {
  const findWordings = (released: OpenApi, current: OpenApi) => findDifferences(released, current).wordings

  it('is reported if it differs from the released one, or is gone', () => {
    const released = buildApi({ description: 'Pieces' })
    expect(findWordings(released, buildApi({ description: 'Boxes' }))).toEqual([
      { was: 'Pieces', is: 'Boxes' },
    ])
    expect(findWordings(released, buildApi({}))).toEqual([{ was: 'Pieces', is: '' }])
  })

  it('is reported by the name of its place if the release does not describe it', () => {
    expect(findWordings(buildApi({}), buildApi({ description: 'Boxes' }))).toEqual([
      { was: 'request .field', is: 'Boxes' },
    ])
  })

  it('is that of an operation too', () => {
    expect(findWordings(buildApi({}), buildApi({}, {}, {}, 'Undo it'))).toEqual([
      { was: 'Do it', is: 'Undo it' },
    ])
  })
})

/** The table of cases is read-only; a schema of a document is not. */
function asSchema(written: object): Schema {
  return JSON.parse(JSON.stringify(written))
}
