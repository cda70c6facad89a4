/** The languages of every text that a person reads. */
export const languages = ['en', 'zh', 'ko'] as const
export type Language = (typeof languages)[number]

const mostHeaderCharacters = 500

/** The language that an `Accept-Language` header asks for most (RFC 9110 §12.5.4); `en` where none fits. */
export function languageOf(header: string | undefined): Language {
  if (!header) return 'en'
  let best: Language = 'en'
  let bestWeight = 0
  for (const range of header.slice(0, mostHeaderCharacters).split(',')) {
    const [tag = '', ...parameters] = range.trim().toLowerCase().split(';')
    const language = languages.find((known) => tag.trim() === known || tag.trim().startsWith(`${known}-`))
    const weight = weightOf(parameters)
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

function weightOf(parameters: string[]): number {
  const q = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('q='))
  if (q === undefined) return 1
  const weight = Number(q.slice(2))
  return weight >= 0 && weight <= 1 ? weight : 0
}
