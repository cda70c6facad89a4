/** The values of Tryton's JSON: decimals, days and instants are objects with `__class__`. */
import { z } from 'zod'

/** A decimal as Tryton sends and takes it. */
export interface WireDecimal {
  readonly __class__: 'Decimal'
  readonly decimal: string
}

export interface WireDate {
  readonly __class__: 'date'
  readonly year: number
  readonly month: number
  readonly day: number
}

export interface WireInstant extends Omit<WireDate, '__class__'> {
  readonly __class__: 'datetime'
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly microsecond: number
}

export function toDecimal(text: string): WireDecimal {
  return { __class__: 'Decimal', decimal: text }
}

/** Converts an ISO day, such as 2026-11-23. */
export function toDate(day: string): WireDate {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  return { __class__: 'date', year, month, day: date }
}

/** Converts milliseconds since 1970. Tryton's instants are in UTC without a zone. */
export function toInstant(ms: number): WireInstant {
  const at = new Date(ms)
  return {
    __class__: 'datetime',
    year: at.getUTCFullYear(),
    month: at.getUTCMonth() + 1,
    day: at.getUTCDate(),
    hour: at.getUTCHours(),
    minute: at.getUTCMinutes(),
    second: at.getUTCSeconds(),
    microsecond: at.getUTCMilliseconds() * 1000,
  }
}

/** A decimal, read as its text. */
export const decimal = z
  .object({ __class__: z.literal('Decimal'), decimal: z.string() })
  .transform((value) => value.decimal)

const twoDigits = (number: number) => String(number).padStart(2, '0')

/** A day, read as ISO 8601. */
export const day = z
  .object({ __class__: z.literal('date'), year: z.int(), month: z.int(), day: z.int() })
  .transform(
    (value) => `${String(value.year).padStart(4, '0')}-${twoDigits(value.month)}-${twoDigits(value.day)}`,
  )

/** An instant, read as milliseconds since 1970; microseconds are kept as a fraction. */
export const instant = z
  .object({
    __class__: z.literal('datetime'),
    year: z.int(),
    month: z.int(),
    day: z.int(),
    hour: z.int(),
    minute: z.int(),
    second: z.int(),
    microsecond: z.int(),
  })
  .transform(
    (value) =>
      Date.UTC(value.year, value.month - 1, value.day, value.hour, value.minute, value.second) +
      value.microsecond / 1000,
  )

export const maxCodeCharacters = 64

/** Whether the protocol takes the code of a product or style as it is. Tryton's codes may be empty, or longer. */
export function isUsableCode(code: string | null | undefined): code is string {
  return typeof code === 'string' && code !== '' && code.length <= maxCodeCharacters
}

export const id = z.int().min(1)
export const ids = z.array(id)

/**
 * Converts a decimal text to whole minor units, rounded half away from zero. The digits are moved in the text, because
 * a product of floating-point numbers would be off by one for amounts such as 1.005.
 */
export function toMinor(text: string, minorUnits: number): number {
  const places = Math.round(Math.log10(minorUnits))
  const match = /^(-?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text.trim())
  if (!match) throw new RangeError(`"${text}" is not a decimal.`)
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const shift = whole.length + places + Number(exponent)
  const digits = (whole + fraction).padEnd(Math.max(shift, 0), '0')
  const kept = shift > 0 ? digits.slice(0, shift) : '0'
  const next = shift >= 0 ? Number(digits[shift] ?? '0') : 0
  const units = Number(kept || '0') + (next >= 5 ? 1 : 0)
  return sign === '-' && units !== 0 ? -units : units
}

/** Converts minor units to a decimal of Tryton. */
export function fromMinor(minor: number, minorUnits: number): WireDecimal {
  const places = Math.round(Math.log10(minorUnits))
  const digits = String(Math.abs(minor)).padStart(places + 1, '0')
  const text = places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`
  return toDecimal(minor < 0 ? `-${text}` : text)
}

/** Compares texts by the bytes of their UTF-8, which is the order of the protocol's pages. */
export function compareBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}

/** Formats milliseconds since 1970 as an instant of the protocol. */
export function formatInstant(ms: number): string {
  return new Date(ms).toISOString()
}
