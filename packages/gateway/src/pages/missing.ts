import type { Language } from '../contract/language.ts'
import { cleanText } from '../contract/texts/texts.ts'
import { buildDocNav } from './docs/doc-page.ts'
import { formatSiteText, type Page } from './page.ts'

/** Builds the 404 page for browsers; programs get the error envelope. */
export function buildMissingPage(address: string, language: Language): Page {
  const places = [
    `- [${formatSiteText(language, 'docs')}](/docs)`,
    `- [${formatSiteText(language, 'reference')}](/reference)`,
    `- [${formatSiteText(language, 'errors')}](/errors)`,
  ]
  return {
    path: '/docs',
    title: formatSiteText(language, 'missing_title'),
    summary: formatSiteText(language, 'missing_text', {
      path: `\`${cleanText(address).replaceAll('`', '')}\``,
    }),
    pieces: [{ markdown: places.join('\n') }],
    trail: [],
    side: buildDocNav(language),
    section: 'docs',
  }
}
