import { z } from 'zod'
import { errorTable } from './errors.ts'

/** A whole number in a query string: digits only, so that '', '1e2', '0x10' and '١' are refused. */
export const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, { error: () => undefined })
    .transform(Number)
    .pipe(z.int().min(least).max(most))

/** A stock version or cursor: a whole number of at most 2^53. */
export const versionNumber = z
  .string()
  .regex(/^\d{1,16}$/)
  .transform(Number)
  .pipe(z.int().min(0))

/** The largest page of ordinary lists. */
export const mostPageSize = 200
export const defaultPageSize = 50
/** The last page that can be asked for. */
export const mostPage = 1_000_000_000

/** Characters that are never part of an identifier: control and format characters, and lone surrogates. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

/** An identifier that is compared byte by byte: NFC, printable, bounded. */
export const code = (most = 64) =>
  z
    .string()
    .min(1)
    .max(most)
    .refine((text) => !unprintable.test(text) && text === text.normalize('NFC'), {
      params: { say: 'code_form' },
    })

/** Text that a person wrote: NFC, no control characters, bounded. */
export const words = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .refine((text) => !/[\p{Cc}\p{Cs}]/u.test(text) && text === text.normalize('NFC'), {
      params: { say: 'words_form' },
    })

export const sku = code().meta({ description: 'SKU, compared byte by byte', examples: ['LIN-0042-BLK-M'] })
export const productCode = code().meta({ description: 'Style code', examples: ['LIN-0042'] })
export const warehouseCode = z.string().meta({ description: 'Warehouse code', examples: ['AUSYD1'] })
export const price = z.number().min(0).meta({ description: 'At most 2 decimals' })
export const currency = z.string().meta({ description: 'ISO 4217', examples: ['AUD'] })
const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))
/** A currency in a query string. */
export const currencyCode = z
  .string()
  .refine((text) => currencies.has(text), { params: { say: 'currency_form' } })
  .meta({ description: 'ISO 4217', examples: ['AUD'] })
export const instantField = z.iso.datetime().meta({ description: 'RFC 3339, UTC, milliseconds' })
/** Years before a computer's time are a mistake, and ISO arithmetic breaks near year 0. */
const firstDay = '1970-01-01'
export const dateField = z.iso
  .date()
  .refine((day) => day >= firstDay, { params: { say: 'day_too_early' } })
  .meta({ description: 'A UTC day', examples: ['2026-11-21'] })

/** A switch in a query string. */
export const flag = z.enum(['true', 'false']).transform((word) => word === 'true')

/** `page` and `page_size` of ordinary lists. */
export const paging = {
  page: wholeNumber(1, mostPage).default(1),
  page_size: wholeNumber(1, mostPageSize).default(defaultPageSize),
}

/** What every list takes besides paging. */
export const window = {
  start_date: dateField.optional(),
  end_date: dateField.optional(),
  as_of: instantField.optional(),
}

/** The envelope of a list. */
export function listOf<T extends z.ZodType>(item: T) {
  return z.object({
    data: z.array(item),
    has_more: z.boolean(),
    page: z.int(),
    page_size: z.int(),
    as_of: instantField,
  })
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
      reason: z.string().optional(),
      retryable: z.boolean().optional(),
      errors: z.array(z.object({ param: z.string(), message: z.string() })).optional(),
    }),
  })
  .meta({ id: 'Error' })
