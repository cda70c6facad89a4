import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { code, dateField, instantField, wholeNumber, words } from './fields.ts'
import type { Language } from './language.ts'
import { messagesIn, withoutMachineBounds } from './problems.ts'

/** What a caller is told of a value, in the languages of the contract. */
function told(schema: z.ZodType, value: unknown, language: Language = 'en'): string[] {
  const { error } = z.object({ field: schema }).safeParse({ field: value }, { error: messagesIn(language) })
  return withoutMachineBounds(error?.issues ?? []).map(({ message }) => message)
}

const quantity = z.int().min(1).max(999)
const country = z.string().regex(/^[A-Z]{2}$/)
const amount = z
  .number()
  .min(0)
  .refine((each) => Number.isInteger(each * 100))

describe('a field that does not fit says what is wanted', () => {
  it.each([
    [quantity, undefined, 'is needed here'],
    [quantity, 1e20, 'is 999 or less'],
    [quantity, 1_000, 'is 999 or less'],
    [quantity, 0, 'is 1 or more'],
    [quantity, -1e20, 'is 1 or more'],
    [quantity, 1.5, 'is a whole number'],
    [quantity, '2', 'is a whole number'],
    [z.int(), 1e20, 'is 9007199254740991 or less'],
    [z.number(), 'x', 'is a number'],
    [z.boolean(), 'true', 'is true or false'],
    [z.string(), 1, 'is a string'],
    [z.object({}), 'x', 'is an object'],
    [z.array(z.string()), 'x', 'is a list'],
    [z.array(z.string()).min(1), [], 'has 1 or more entries'],
    [z.array(z.string()).max(2), ['a', 'b', 'c'], 'has at most 2 entries'],
    [code(), '', 'has 1 or more characters'],
    [code(), 'x'.repeat(65), 'has at most 64 characters'],
    [
      code(),
      'a\nb',
      'has no line breaks, control characters or invisible characters, and is in Unicode form NFC',
    ],
    [words(9), 'a\nb', 'has no line breaks or other control characters, and is in Unicode form NFC'],
    [z.enum(['normal', 'express']), 'fast', 'is one of: normal, express'],
    [dateField, '2026-02-30', 'is a day of the calendar, such as 2026-11-21'],
    [dateField, '1969-12-31', 'is 1970-01-01 or later'],
    [instantField, 'noon', 'is a time in UTC, such as 2026-11-21T08:30:00.000Z'],
    [wholeNumber(1, 200), 'ten', 'is a whole number in at most 15 digits'],
    [wholeNumber(1, 200), '201', 'is 200 or less'],
    [country, 'au', 'is a country code of ISO 3166-1 in two capital letters, such as AU'],
    [amount, 1.005, 'is an amount with at most 2 decimals'],
    [z.string().regex(/^x$/), 'y', 'does not have the form that the reference gives'],
  ])('%#: %s', (schema, value, message) => expect(told(schema, value)).toEqual([message]))

  it('in every language, with the bound', () => {
    expect(told(quantity, 1_000, 'zh')).toEqual(['不得大于 999'])
    expect(told(quantity, 1_000, 'ko')).toEqual(['999 이하여야 합니다'])
    expect(told(z.array(z.string()).min(1), [], 'zh')).toEqual(['至少 1 项'])
    expect(told(z.array(z.string()).min(1), [], 'ko')).toEqual(['항목이 1개 이상이어야 합니다'])
    expect(told(z.string(), 1, 'zh')).toEqual(['须为字符串'])
    expect(told(country, 'au', 'ko')[0]).toContain('ISO 3166-1')
  })
})
