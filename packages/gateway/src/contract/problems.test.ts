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
    [quantity, 1e20, 'must be at most 999, not 100000000000000000000'],
    [quantity, 1_000, 'must be at most 999, not 1000'],
    [quantity, 0, 'must be at least 1, not 0'],
    [quantity, -1e20, 'must be at least 1, not -100000000000000000000'],
    [quantity, 1.5, 'must be a whole number, not 1.5'],
    [quantity, '2', 'must be a whole number, not "2"'],
    [quantity, null, 'must be a whole number, not null'],
    [quantity, [1], 'must be a whole number, not […]'],
    [quantity, { of: 1 }, 'must be a whole number, not {…}'],
    [z.int(), 1e20, 'must be at most 9007199254740991, not 100000000000000000000'],
    [z.number(), 'x', 'must be a number, not "x"'],
    [z.boolean(), 'true', 'must be true or false, not "true"'],
    [z.string(), 1, 'must be a string, not 1'],
    [z.object({}), 'x', 'must be an object, not "x"'],
    [z.array(z.string()), 'x', 'must be a list, not "x"'],
    [z.array(z.string()).min(1), [], 'must have 1 or more entries, not 0'],
    [z.array(z.string()).max(2), ['a', 'b', 'c'], 'must have at most 2 entries, not 3'],
    [codeField(), '', 'must have 1 or more characters, not 0'],
    [codeField(), ' ', 'must have a visible character'],
    [textField(9), ' \u3000', 'must have a visible character'],
    [codeField(), 'x'.repeat(65), 'must have at most 64 characters, not 65'],
    [
      codeField(),
      'a\nb',
      'must be in Unicode form NFC, without line breaks, control characters or invisible characters',
    ],
    [textField(9), 'a\nb', 'must be in Unicode form NFC, without line breaks or other control characters'],
    [z.enum(['normal', 'express']), 'fast', 'is "fast", and must be one of: normal, express'],
    [dateField, '2026-02-30', 'must be a calendar date, such as 2026-11-21, not "2026-02-30"'],
    [dateField, '1969-12-31', 'must be 1970-01-01 or later, not "1969-12-31"'],
    [instantField, 'noon', 'must be a time in UTC, such as 2026-11-21T08:30:00.000Z, not "noon"'],
    [wholeNumberField(1, 200), 'ten', 'must be a whole number of at most 15 digits, not "ten"'],
    [wholeNumberField(1, 200), '201', 'must be at most 200, not 201'],
    [
      country,
      'au',
      'must be a country code of ISO 3166-1 in two capital letters, such as AU or GB, not "au"',
    ],
    [
      country,
      'UK',
      'must be a country code of ISO 3166-1 in two capital letters, such as AU or GB, not "UK"',
    ],
    [
      country,
      'XX',
      'must be a country code of ISO 3166-1 in two capital letters, such as AU or GB, not "XX"',
    ],
    [amount, 1.005, 'must be an amount with at most 2 decimals, not 1.005'],
    [z.string().regex(/^x$/), 'y', 'must have the form that the reference gives, not "y"'],
  ])('%#: %s', (schema, value, message) => expect(listMessages(schema, value)).toEqual([message]))

  it.each(['client_secret', 'password', 'access_token', 'recipient'])('and does not repeat %s', (name) => {
    const { error } = z
      .object({ [name]: z.string() })
      .safeParse({ [name]: 12_345 }, { error: createErrorMap('en') })
    expect(error?.issues.map(({ message }) => message)).toEqual(['must be a string'])
    const list = z.object({ [`${name}s`]: z.array(z.string()) })
    const inside = list.safeParse({ [`${name}s`]: [12_345] }, { error: createErrorMap('en') })
    expect(inside.error?.issues.map(({ message }) => message)).toEqual(['must be a string'])
  })

  it('in every language, with the bound', () => {
    expect(listMessages(quantity, 1_000, 'zh')).toEqual(['不得大于 999，收到的是 1000'])
    expect(listMessages(quantity, 1_000, 'ko')).toEqual(['999 이하여야 합니다(받은 값: 1000)'])
    expect(listMessages(z.array(z.string()).min(1), [], 'zh')).toEqual(['不得少于 1 项，实际为 0'])
    expect(listMessages(z.array(z.string()).min(1), [], 'ko')).toEqual([
      '항목이 1개 이상이어야 합니다(현재 0)',
    ])
    expect(listMessages(z.string(), 1, 'zh')).toEqual(['须为字符串，收到的是 1'])
    expect(listMessages(country, 'au', 'ko')[0]).toContain('ISO 3166-1')
  })
})
