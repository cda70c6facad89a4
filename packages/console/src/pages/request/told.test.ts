import { describe, expect, it } from 'vitest'
import { tellOutcome } from './told.ts'

const refused = { result: 'rejected', rejection_reason: 'insufficient_stock' }

describe('the sentence of a request', () => {
  it.each([
    [201, [refused], { text: 'told_done' }],
    [422, [refused], { reason: 'told_rejected_insufficient_stock' }],
    [504, [{ result: 'timeout', rejection_reason: null }], { text: 'told_no_answer' }],
    [403, [], { text: 'told_refused_here' }],
    [500, [{ result: 'ok', rejection_reason: null }], { text: 'told_gateway_failed' }],
  ] as const)('of status %i names who failed it', (status, upstream_calls, told) => {
    expect(tellOutcome({ status, upstream_calls })).toEqual(told)
  })
})
