import { z } from 'zod'
import { countries } from './countries.ts'
import { errorTable } from './error-table.ts'
import { reasons } from './errors.ts'

/**
 * Creates the schema of a whole number in a query string. Only digits are accepted, so '', '1e2', '0x10' and '١' are
 * refused.
 */
export const wholeNumberField = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, { error: () => undefined })
    .transform(Number)
    .pipe(z.int().min(least).max(most))

/** A stock version or cursor, up to 2^53 − 1. */
export const versionNumber = z
  .string()
  .regex(/^\d{1,16}$/)
  .transform(Number)
  .pipe(z.int().min(0))

/** The largest `page_size` of ordinary lists. */
export const maxPageSize = 200
export const defaultPageSize = 50
/** The highest `page` that can be requested. */
export const maxPage = 1_000_000_000

/**
 * Characters that no identifier may contain: control and format characters, line and paragraph separators, and lone
 * surrogates.
 */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

/** A text without any is not empty, and says as little. */
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u

/** Creates the schema of an identifier, which is compared byte by byte: NFC, printable and limited in length. */
export const codeField = (most = 64) =>
  z
    .string()
    .min(1, { abort: true })
    .max(most)
    .refine((text) => !unprintable.test(text) && text === text.normalize('NFC'), {
      params: { say: 'code_form' },
      abort: true,
    })
    .refine((text) => visible.test(text), { params: { say: 'visible_needed' } })

/**
 * Creates the schema of text that a person wrote: NFC, without control characters and lone surrogates, limited in
 * length.
 */
export const textField = (most: number) =>
  z
    .string()
    .min(1, { abort: true })
    .max(most)
    .refine((text) => !/[\p{Cc}\p{Cs}]/u.test(text) && text === text.normalize('NFC'), {
      params: { say: 'words_form' },
      abort: true,
    })
    .refine((text) => visible.test(text), { params: { say: 'visible_needed' } })

/** Makes a field of a request optional. Null is the same as its absence, so that what was read can be sent back. */
export const absentOrNull = <T extends z.ZodType>(schema: T) =>
  schema
    .nullable()
    .transform((value) => value ?? undefined)
    .optional()

export const sku = codeField().meta({
  description: 'SKU, compared byte by byte',
  examples: ['LIN-0042-BLK-M'],
})
export const productCode = codeField().meta({ description: 'Style code', examples: ['LIN-0042'] })
export const warehouseCode = z.string().meta({ examples: ['AUSYD1'] })
export const price = z.number().min(0).meta({ description: 'At most 2 decimals' })
export const currency = z.string().meta({ description: 'ISO 4217', examples: ['AUD'] })
const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))
/** A currency in a query string. */
export const currencyCode = z
  .string()
  .refine((text) => currencies.has(text), { params: { say: 'currency_form' } })
  .meta({ description: 'ISO 4217', examples: ['AUD'] })
export const instantField = z.iso.datetime().meta({ description: 'RFC 3339, UTC, milliseconds' })
/** The first accepted day. An earlier day is certainly a mistake, and date arithmetic fails near year 0. */
const firstDay = '1970-01-01'
export const dateField = z.iso
  .date()
  .refine((day) => day >= firstDay, { params: { say: 'day_too_early' } })
  .meta({ description: 'A UTC day', examples: ['2026-11-21'] })

export function isCountry(code: string): boolean {
  return countries.has(code)
}

export const country = z
  .string()
  .regex(/^[A-Z]{2}$/, { abort: true })
  .refine(isCountry, { params: { say: 'country_form' } })

/** A boolean in a query string. */
export const flag = z.enum(['true', 'false']).transform((word) => word === 'true')

/** The longest cursor: one with a place of the ERP's own, which the connector limits, sealed. */
const maxCursorCharacters = 4_000
const cursor = z.string().min(1).max(maxCursorCharacters).optional()

/** `cursor`, or `page`, and `page_size` of ordinary lists. */
export const paging = {
  cursor,
  page: wholeNumberField(1, maxPage).default(1),
  page_size: wholeNumberField(1, maxPageSize).default(defaultPageSize),
}

/** `cursor` and `page_size` of the operator's lists. */
export const cursorPaging = {
  cursor,
  page_size: wholeNumberField(1, maxPageSize).default(defaultPageSize),
}

/** The directions of the operator's lists. */
export const sorts = ['newest', 'oldest'] as const
export type Sort = (typeof sorts)[number]

/** `sort` of the operator's lists that an index serves in both directions. */
export const sorting = { sort: z.enum(sorts).default('newest') }

/** The period of the operator's lists: from `since` on, until before `until`. */
export const period = { since: instantField.optional(), until: instantField.optional() }

/** The date range and `as_of` of ordinary lists. */
export const window = {
  start_date: dateField.optional(),
  end_date: dateField.optional(),
  as_of: instantField.optional(),
}

/** Where the next page of a list begins; null on the last page. */
export const nextCursor = z.string().nullable()

/** Creates the schema of a list response. */
export function toListSchema<T extends z.ZodType>(item: T) {
  return z.object({
    data: z.array(item),
    has_more: z.boolean(),
    page: z.int(),
    page_size: z.int(),
    as_of: instantField,
    next_cursor: nextCursor,
  })
}

/** Creates the schema of a response of the operator's lists. */
export function toCursorPageSchema<T extends z.ZodType>(item: T) {
  return z.object({ data: z.array(item), has_more: z.boolean(), next_cursor: nextCursor })
}

const errorCode = z.enum(Object.keys(errorTable)).meta({ id: 'ErrorCode' })

export const errorBody = z
  .object({
    error: z.object({
      code: errorCode,
      message: z.string(),
      hint: z.string(),
      request_id: z.string(),
      doc_url: z.string(),
      param: z.string().optional(),
      reason: z.enum(reasons).optional(),
      retryable: z.boolean().optional(),
      errors: z.array(z.object({ param: z.string(), message: z.string() })).optional(),
      required_capability: z.string().optional(),
      plan: z.string().optional(),
      required_plan: z.string().optional(),
      shortages: z
        .array(z.object({ sku: z.string(), quantity: z.int(), quantity_available: z.int() }))
        .optional(),
      duplicate_of: z
        .object({
          dropship_order_id: z.string(),
          client_order_number: z.string(),
          submitted_at: instantField.nullable(),
        })
        .optional(),
      window_ends_at: instantField.optional(),
      replacement: z.object({ method: z.string(), path: z.string() }).optional(),
    }),
  })
  .meta({ id: 'Error' })
