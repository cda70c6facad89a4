import type { Language } from '../contract/language.ts'
import { apiVersion } from '../http/headers.ts'
import { docHref } from './docs/doc-page.ts'
import { localLink } from './docs/markdown.ts'
import { docGroups } from './docs/tree.ts'
import { markdownPath } from './layout.ts'
import { llmsPath, type Page, pageMarkdown, word } from './page.ts'
import { pageAt, pagePaths } from './site.ts'

/** `/llms.txt` (llmstxt.org): a title, a summary, notes, then every page under headings, the optional ones last. */
export function llmsText(language: Language): string {
  const optional = new Set(['/changelog', '/swagger', '/docs', '/'])
  const listed = pagePaths().flatMap((path) => pageAt(path, language) ?? [])
  const docs = new Set(docGroups.flatMap(({ pages }) => pages.map(docHref)))
  const section = (title: string, isIn: (page: Page) => boolean) => {
    const lines = listed.filter(isIn).map((page) => lineOf(page, language))
    return lines.length > 0 ? [`## ${title}`, lines.join('\n')] : []
  }
  const rest = [
    `- [${word(language, 'full_text')}](${fullPath(language)})`,
    `- [OpenAPI 3.1](${localLink('/openapi.json', queryOf(language))})`,
  ]
  const optionalLines = [
    ...listed.filter(({ path }) => optional.has(path)).map((page) => lineOf(page, language)),
    ...rest,
  ]
  const parts = [
    '# Trade Gateway',
    `> ${word(language, 'llms_summary', { version: apiVersion })}`,
    word(language, 'llms_notes'),
    ...section(word(language, 'docs'), ({ path }) => docs.has(path) && !optional.has(path)),
    ...section(word(language, 'reference'), ({ path }) => path.startsWith('/reference')),
    ...section(word(language, 'errors'), ({ path }) => path.startsWith('/errors')),
    '## Optional',
    optionalLines.join('\n'),
  ]
  return `${parts.join('\n\n')}\n`
}

function queryOf(language: Language): string {
  return language === 'en' ? '' : `?lang=${language}`
}

/** Where the whole text stands in a language. */
export function fullPath(language: Language): string {
  return llmsPath(language).replace('llms.txt', 'llms-full.txt')
}

function lineOf(page: Page, language: Language): string {
  const address = localLink(markdownPath(page.path), queryOf(language))
  const name = page.operation ? `${page.operation.method} ${page.operation.path}` : page.title
  const note = page.operation ? page.title : page.summary.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
  return `- [${name.replaceAll('[', '(').replaceAll(']', ')')}](${address}): ${note}`
}

/** `/llms-full.txt`: every page in one file, bounded, each under its address. */
export const mostFullBytes = 400 * 1024

export function llmsFullText(language: Language): string {
  const pages = pagePaths().flatMap((path) => pageAt(path, language) ?? [])
  const head = `# Trade Gateway\n\n> ${word(language, 'llms_summary', { version: apiVersion })}\n`
  const bodies = pages.map((page) => {
    const text = pageMarkdown(briefly(page), language, (all) => all)
    // The line that points to the list stands once, above.
    return `\n---\n\nURL: ${markdownPath(page.path)}\n\n${text.slice(text.indexOf('\n') + 2)}`
  })
  return `${head}${bodies.join('')}`
}

/** A page as it stands among all others: what follows from the rest is left out. */
function briefly(page: Page): Page {
  return {
    ...page,
    pieces: page.pieces.map((piece) => ({ ...piece, markdown: piece.brief ?? piece.markdown })),
  }
}
