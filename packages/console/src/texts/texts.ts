import { type Catalogue, fillText, type Placeholders, type TextKey } from './catalogue.ts'
import { en } from './en.ts'
import { ko } from './ko.ts'
import { type Language, useLanguage } from './language.ts'
import { zh } from './zh.ts'

export const catalogues: Readonly<Record<Language, Catalogue>> = { en, zh, ko }

type Values<Key extends TextKey> = [Placeholders<(typeof en)[Key]>] extends [never]
  ? []
  : [values: Readonly<Record<Placeholders<(typeof en)[Key]>, string | number>>]

/** Returns the text of a key, with its placeholders filled. */
export type Translate = <Key extends TextKey>(key: Key, ...values: Values<Key>) => string

/** Returns the function that translates into the current language. A switch of the language renders again. */
export function useTexts(): Translate {
  const catalogue = catalogues[useLanguage()]
  return (key, ...[values]) => fillText(catalogue[key], values)
}
