import type { Language } from '../contract/language.ts'
import { cleaned } from '../contract/texts/texts.ts'
import { docNav } from './docs/doc-page.ts'
import { type Page, word } from './page.ts'

/** What a person sees where there is no page; a program gets the envelope. */
export function missingPage(address: string, language: Language): Page {
  const places = [
    `- [${word(language, 'docs')}](/docs)`,
    `- [${word(language, 'reference')}](/reference)`,
    `- [${word(language, 'errors')}](/errors)`,
  ]
  return {
    path: '/docs',
    title: word(language, 'missing_title'),
    summary: word(language, 'missing_text', { path: `\`${cleaned(address).replaceAll('`', '')}\`` }),
    pieces: [{ markdown: places.join('\n') }],
    trail: [],
    side: docNav(language),
    section: 'docs',
  }
}
