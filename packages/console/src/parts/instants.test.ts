import { describe, expect, it } from 'vitest'
import { toInstant, toLocalInput } from './instants.ts'

describe('a time filter', () => {
  it('shows an instant as the minute of the reader, and reads it back', () => {
    const instant = '2026-11-23T03:26:00.000Z'
    expect(toInstant(toLocalInput(instant))).toBe(instant)
  })

  it('is empty for what is no time', () => {
    expect([toLocalInput('yesterday'), toLocalInput(undefined), toInstant('')]).toEqual(['', '', undefined])
  })
})
