import { en } from './en.ts'
import { ko } from './ko.ts'
import { type Language, useLanguage } from './language.ts'
import { zh } from './zh.ts'

export type TextKey = keyof typeof en
/** A catalogue in another language: the compiler refuses a missing and an unknown key. */
export type Catalogue = Readonly<Record<TextKey, string>>

export const catalogues: Readonly<Record<Language, Catalogue>> = { en, zh, ko }

/** The names between braces in a text. */
type Placeholders<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never

type Values<Key extends TextKey> = [Placeholders<(typeof en)[Key]>] extends [never]
  ? []
  : [values: Readonly<Record<Placeholders<(typeof en)[Key]>, string | number>>]

/** Returns the text of a key, with its placeholders filled. */
export type Translate = <Key extends TextKey>(key: Key, ...values: Values<Key>) => string

/** Fills the `{names}` of a text. */
export function fillText(text: string, values: Readonly<Record<string, string | number>> = {}): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}

/** Whether a key exists, for keys that are built from values of the API, such as `status_dead`. */
export function isTextKey(key: string): key is TextKey {
  return Object.hasOwn(en, key)
}

/** Returns the function that translates into the current language. A switch of the language renders again. */
export function useTexts(): Translate {
  const catalogue = catalogues[useLanguage()]
  return (key, ...[values]) => fillText(catalogue[key], values)
}
