import { parseWeights } from './accept.ts'

/** The languages of every text that people read. */
export const languages = ['en', 'zh', 'ko'] as const
export type Language = (typeof languages)[number]

/**
 * Chooses the supported language that `Accept-Language` prefers most (RFC 9110 §12.5.4); `en` if it contains none of
 * them.
 */
export function chooseSupportedLanguage(header: string | undefined): Language {
  if (!header) return 'en'
  let best: Language = 'en'
  let bestWeight = 0
  for (const [tag, weight] of parseWeights([header])) {
    const language = languages.find((known) => tag === known || tag.startsWith(`${known}-`))
    if (language && weight > bestWeight) {
      best = language
      bestWeight = weight
    }
  }
  return best
}

export function isLanguage(word: string | undefined): word is Language {
  return languages.some((known) => known === word)
}
