import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { codeField, country, dateField, instantField, textField, wholeNumberField } from './fields.ts'
import type { Language } from './language.ts'
import { createErrorMap, dropSafeIntegerIssues } from './problems.ts'

/** Returns the messages for an invalid value, in one language. */
function listMessages(schema: z.ZodType, value: unknown, language: Language = 'en'): string[] {
  const { error } = z
    .object({ field: schema })
    .safeParse({ field: value }, { error: createErrorMap(language) })
  return dropSafeIntegerIssues(error?.issues ?? []).map(({ message }) => message)
}

const quantity = z.int().min(1).max(999)
const amount = z
  .number()
  .min(0)
  .refine((each) => Number.isInteger(each * 100))

describe('a field that does not fit says what is wanted', () => {
  it.each([
    [quantity, undefined, 'is required here'],
    [quantity, 1e20, 'must be at most 999'],
    [quantity, 1_000, 'must be at most 999'],
    [quantity, 0, 'must be at least 1'],
    [quantity, -1e20, 'must be at least 1'],
    [quantity, 1.5, 'must be a whole number'],
    [quantity, '2', 'must be a whole number'],
    [z.int(), 1e20, 'must be at most 9007199254740991'],
    [z.number(), 'x', 'must be a number'],
    [z.boolean(), 'true', 'must be true or false'],
    [z.string(), 1, 'must be a string'],
    [z.object({}), 'x', 'must be an object'],
    [z.array(z.string()), 'x', 'must be a list'],
    [z.array(z.string()).min(1), [], 'must have 1 or more entries'],
    [z.array(z.string()).max(2), ['a', 'b', 'c'], 'must have at most 2 entries'],
    [codeField(), '', 'must have 1 or more characters'],
    [codeField(), 'x'.repeat(65), 'must have at most 64 characters'],
    [
      codeField(),
      'a\nb',
      'must be in Unicode form NFC, without line breaks, control characters or invisible characters',
    ],
    [textField(9), 'a\nb', 'must be in Unicode form NFC, without line breaks or other control characters'],
    [z.enum(['normal', 'express']), 'fast', 'must be one of: normal, express'],
    [dateField, '2026-02-30', 'must be a calendar date, such as 2026-11-21'],
    [dateField, '1969-12-31', 'must be 1970-01-01 or later'],
    [instantField, 'noon', 'must be a time in UTC, such as 2026-11-21T08:30:00.000Z'],
    [wholeNumberField(1, 200), 'ten', 'must be a whole number of at most 15 digits'],
    [wholeNumberField(1, 200), '201', 'must be at most 200'],
    [country, 'au', 'must be a country code of ISO 3166-1 in two capital letters, such as AU or GB'],
    [country, 'UK', 'must be a country code of ISO 3166-1 in two capital letters, such as AU or GB'],
    [country, 'XX', 'must be a country code of ISO 3166-1 in two capital letters, such as AU or GB'],
    [amount, 1.005, 'must be an amount with at most 2 decimals'],
    [z.string().regex(/^x$/), 'y', 'must have the form that the reference gives'],
  ])('%#: %s', (schema, value, message) => expect(listMessages(schema, value)).toEqual([message]))

  it('in every language, with the bound', () => {
    expect(listMessages(quantity, 1_000, 'zh')).toEqual(['不得大于 999'])
    expect(listMessages(quantity, 1_000, 'ko')).toEqual(['999 이하여야 합니다'])
    expect(listMessages(z.array(z.string()).min(1), [], 'zh')).toEqual(['不得少于 1 项'])
    expect(listMessages(z.array(z.string()).min(1), [], 'ko')).toEqual(['항목이 1개 이상이어야 합니다'])
    expect(listMessages(z.string(), 1, 'zh')).toEqual(['须为字符串'])
    expect(listMessages(country, 'au', 'ko')[0]).toContain('ISO 3166-1')
  })
})
