import { en } from './en.ts'

/** The keys of the texts: those of the English catalogue. */
export type TextKey = keyof typeof en

/** A catalogue in another language. The compiler refuses a missing key and an unknown one. */
export type Catalogue = Readonly<Record<TextKey, string>>

/** The names between braces in a text. */
export type Placeholders<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never

/** The keys of texts without placeholders. */
export type PlainKey = {
  [Key in TextKey]: [Placeholders<(typeof en)[Key]>] extends [never] ? Key : never
}[TextKey]

/** Fills the `{names}` of a text. */
export function fillText(text: string, values: Readonly<Record<string, string | number>> = {}): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}

/** Whether a text exists that needs no values, for keys that are built from values of the API, such as `state_dead`. */
export function isPlainKey(key: string): key is PlainKey {
  return isTextKey(key) && !en[key].includes('{')
}

function isTextKey(key: string): key is TextKey {
  return Object.hasOwn(en, key)
}
