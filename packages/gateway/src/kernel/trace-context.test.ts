import { describe, expect, it } from 'vitest'
import { formatTraceParent, parseTraceParent } from './trace-context.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'
const valid = `00-${traceId}-${spanId}-01`

describe('traceparent', () => {
  it('is read and written as the standard says', () => {
    expect(parseTraceParent([valid])).toEqual({ traceId, spanId, isSampled: true })
    expect(formatTraceParent({ traceId, spanId, isSampled: true })).toBe(valid)
    expect(formatTraceParent({ traceId, spanId, isSampled: false })).toBe(`00-${traceId}-${spanId}-00`)
  })

  it('of a later version is read by its first fields', () => {
    expect(parseTraceParent([`cc-${traceId}-${spanId}-00-what-is-new`])).toEqual({
      traceId,
      spanId,
      isSampled: false,
    })
  })

  it('has flags of which only the lowest is known', () => {
    expect(parseTraceParent([`00-${traceId}-${spanId}-fe`])?.isSampled).toBe(false)
    expect(parseTraceParent([`00-${traceId}-${spanId}-ff`])?.isSampled).toBe(true)
  })

  it.each([
    ['nothing', []],
    ['two values', [valid, valid]],
    ['two values in one', [`${valid}, ${valid}`]],
    ['an empty value', ['']],
    ['capital letters', [valid.toUpperCase()]],
    ['the version ff', [`ff-${traceId}-${spanId}-01`]],
    ['more fields in the first version', [`${valid}-more`]],
    ['a trace id of zeros', [`00-${'0'.repeat(32)}-${spanId}-01`]],
    ['a span id of zeros', [`00-${traceId}-${'0'.repeat(16)}-01`]],
    ['a short trace id', [`00-${traceId.slice(1)}-${spanId}-01`]],
    ['a long span id', [`00-${traceId}-${spanId}0-01`]],
    ['letters that are not hexadecimal', [`00-${traceId.replace('0', 'g')}-${spanId}-01`]],
    ['a space before', [` ${valid}`]],
    ['a line break after', [`${valid}\n`]],
    ['a very long value', [`cc-${traceId}-${spanId}-00-${'x'.repeat(600)}`]],
    ['a number', [42]],
  ])('is ignored if it is %s', (_name, values) => {
    expect(parseTraceParent(values)).toBeUndefined()
  })
})
