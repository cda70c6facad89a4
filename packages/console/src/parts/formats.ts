/** How values are written in each language. The functions know nothing of the page, so that a test can call them. */

import type { Language } from '../texts/language.ts'

/** The locales by which dates and numbers are written. */
export const locales: Readonly<Record<Language, string>> = { en: 'en-GB', zh: 'zh-CN', ko: 'ko-KR' }

const timeForms = {
  day: { dateStyle: 'medium' },
  second: {
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  },
  full: { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' },
  // In UTC: midnight of UTC is in another day elsewhere, and an announced end is the same one for everybody.
  utcDay: { dateStyle: 'medium', timeZone: 'UTC' },
  utcFull: { dateStyle: 'medium', timeStyle: 'long', hourCycle: 'h23', timeZone: 'UTC' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>

export type TimeForm = keyof typeof timeForms

/** Formats an instant in the zone of the process, which is the reader's own, or in UTC. */
export function formatTime(at: string, form: TimeForm, language: Language): string {
  return new Intl.DateTimeFormat(locales[language], timeForms[form]).format(new Date(at))
}

export function formatFigure(value: number, digits: number, language: Language): string {
  return new Intl.NumberFormat(locales[language], { maximumFractionDigits: digits }).format(value)
}

/** Formats a part of a whole in percent. */
export function formatShare(part: number, of: number, language: Language): string {
  const options = { style: 'percent', maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat(locales[language], options).format(part / of)
}

/** Formats an amount in units of its currency, as the API states it. */
export function formatMoney(amount: number, currency: string | null, language: Language): string {
  const minimumFractionDigits = currency === 'KRW' || currency === 'JPY' ? 0 : 2
  return `${new Intl.NumberFormat(locales[language], { minimumFractionDigits }).format(amount)} ${currency}`
}

/** Formats milliseconds, from microseconds of a fast read to minutes of a slow ERP. */
export function formatDuration(ms: number, language: Language): string {
  const [value, unit] = ms < 10_000 ? [ms, 'millisecond'] : [ms / 1000, 'second']
  const maximumFractionDigits = ms < 10 ? 1 : 0
  const options = { style: 'unit', unit, unitDisplay: 'narrow', maximumFractionDigits } as const
  return new Intl.NumberFormat(locales[language], options).format(value)
}

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** Formats an age or a span in its largest unit, in the plural form of the language. */
export function formatSpan(seconds: number, language: Language): string {
  const [unit, size] = units.find(([, each]) => seconds >= each) ?? (['second', 1] as const)
  const options = { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 0 } as const
  return new Intl.NumberFormat(locales[language], options).format(seconds / size)
}
