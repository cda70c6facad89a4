import { sha256 } from '../../kernel/crypto.ts'
import type { Language } from '../language.ts'

/**
 * Texts whose English is part of a declaration (an endpoint, an event, an action) are translated in the files beside
 * it, `<name>.zh.ts` and `<name>.ko.ts`. Each translation contains a hash of its English source. When the English
 * changes, readers get English until the translation is updated, and `npm test` fails.
 */
export type Translation<Prose> = Prose & {
  /** The hash of the English source. `npm run translations -- stamp` writes it. */
  readonly source: string
}

/** The translations of a file's declarations by name. The compiler requires every name in every language. */
export interface Translations<Name extends string, Prose> {
  readonly zh: Readonly<Record<Name, Translation<Prose>>>
  readonly ko: Readonly<Record<Name, Translation<Prose>>>
}

/**
 * An English text with the hashes of its translations, for tests and for the commands `translations` and `docs`.
 */
export interface DeclaredText<English extends object | string = object> {
  readonly name: string
  readonly english: English
  readonly zh: { readonly source: string } | undefined
  readonly ko: { readonly source: string } | undefined
}

/** The first 8 hexadecimal digits of the SHA-256 of an English text. */
export function hashEnglish(english: object | string): string {
  return sha256(JSON.stringify(english)).toString('hex').slice(0, 8)
}

/** Whether a translation was made from the current English text. */
export function isTranslationCurrent(
  english: object | string,
  translation: { readonly source: string } | undefined,
): boolean {
  return translation?.source === hashEnglish(english)
}

/** Lists the translations of outdated English texts, one line each. */
export function listStaleTexts(all: readonly DeclaredText<object | string>[]): string[] {
  return all.flatMap((text) =>
    (['zh', 'ko'] as const)
      .filter((language) => !isTranslationCurrent(text.english, text[language]))
      .map((language) => `${text.name} in ${language} is not of the present English`),
  )
}

/** Chooses the text in a language, or the English text if the translation is outdated. */
export function chooseTranslation<Name extends string, Prose extends object>(
  language: Language,
  english: Prose,
  translations: Translations<Name, Prose>,
  name: Name,
): Prose {
  if (language === 'en') return english
  const translation = translations[language][name]
  return isTranslationCurrent(english, translation) ? translation : english
}
