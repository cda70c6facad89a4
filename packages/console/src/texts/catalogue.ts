import type { en } from './en.ts'

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
