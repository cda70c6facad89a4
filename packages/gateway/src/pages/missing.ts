import type { Language } from '../contract/language.ts'
import { cleanText } from '../contract/texts/texts.ts'
import { buildDocNav } from './docs/doc-page.ts'
import { formatSiteText, type Page } from './page.ts'
import type { Finding } from './search/search.ts'

const maxShownAddress = 100

/** Builds the 404 page for browsers, with the pages that the reader may have meant; programs get the error envelope. */
export function buildMissingPage(address: string, suggestions: readonly Finding[], language: Language): Page {
  const near = suggestions.map(
    ({ href, title, heading }) => `- [${[title, heading].filter((part) => part !== '').join(': ')}](${href})`,
  )
  const places = [
    `- [${formatSiteText(language, 'docs')}](/docs)`,
    `- [${formatSiteText(language, 'reference')}](/reference)`,
    `- [${formatSiteText(language, 'errors')}](/errors)`,
  ]
  return {
    path: '/docs',
    title: formatSiteText(language, 'missing_title'),
    summary: formatSiteText(language, 'missing_text', {
      path: `\`${cleanText(address).slice(0, maxShownAddress).replaceAll('`', '')}\``,
    }),
    pieces: [
      ...(near.length > 0
        ? [{ markdown: `## ${formatSiteText(language, 'missing_near')}\n\n${near.join('\n')}` }]
        : []),
      { markdown: `## ${formatSiteText(language, 'missing_places')}\n\n${places.join('\n')}` },
    ],
    trail: [],
    side: buildDocNav(language),
    section: 'docs',
    isMissing: true,
  }
}
