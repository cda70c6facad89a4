import { describe, expect, it } from 'vitest'
import { readEdited, toInstant, toLocalInput } from './instants.ts'

describe('a time filter', () => {
  it('shows an instant as the minute of the reader, and reads it back', () => {
    const instant = '2026-11-23T03:26:00.000Z'
    expect(toInstant(toLocalInput(instant))).toBe(instant)
  })

  it('keeps the seconds of an instant that was not edited', () => {
    const instant = '2026-11-23T03:26:41.123Z'
    const shown = toLocalInput(instant)
    expect(readEdited(shown, instant)).toBe(instant)
    expect(readEdited('', instant)).toBe(undefined)
    expect(readEdited(toLocalInput('2026-11-23T03:27:00.000Z'), instant)).toBe('2026-11-23T03:27:00.000Z')
  })

  it('is empty for what is no time', () => {
    expect([toLocalInput('yesterday'), toLocalInput(undefined), toInstant('')]).toEqual(['', '', undefined])
  })
})
