import { cutText } from '@trade-gateway/connector'
import type { Details } from '../errors.ts'
import type { Language } from '../language.ts'
import { en, type SentenceId } from './en.ts'
import { ko } from './ko.ts'
import type { Texts } from './language-texts.ts'
import { zh } from './zh.ts'

export const texts: Readonly<Record<Language, Texts>> = { en, zh, ko }

/** The maximum length of a value that a sentence repeats. */
const maxEchoed = 100
/** The maximum length of the ERP's own reason and of a list of field problems, which may be longer. */
const maxReason = 300
const longNames = new Set(['reason', 'values', 'problem', 'known'])

/** Formats a sentence in a language. Its placeholders are replaced by cleaned values of limited length. */
export function formatSentence(language: Language, id: SentenceId, details: Details = {}): string {
  return texts[language].sentences[id].replace(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = Object.hasOwn(details, name) ? details[name] : ''
    // An error that cannot be explained would leave its call without a response.
    if (typeof value === 'object' && value !== null) return texts[language].things[value.thing]
    return cleanText(String(value), longNames.has(name) ? maxReason : maxEchoed)
  })
}

const printable = /^[ -~]*$/

/** Removes control and format characters and limits the length, so that a value is safe in JSON, logs and pages. */
export function cleanText(value: string, most: number = maxEchoed): string {
  // Nearly all texts are printable ASCII, which the longer expression would examine character by character.
  const visible = printable.test(value) ? value : value.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu, '')
  return visible.length > most ? `${cutText(visible, most)}…` : visible
}
