import type { Language } from '../contract/language.ts'
import { apiVersion } from '../contract/version.ts'
import { countSummarized, toDocPath } from './docs/doc-page.ts'
import { addQuery } from './docs/markdown.ts'
import { docGroups } from './docs/tree.ts'
import { toMarkdownPath } from './layout.ts'
import { formatSiteText, type Page, renderPageMarkdown, toLlmsPath } from './page.ts'
import { findPage, listPagePaths } from './site.ts'

/** Builds `/llms.txt` (llmstxt.org): a title, a summary, notes, then all pages by section, with optional ones last. */
export function buildLlmsText(language: Language): string {
  const optional = new Set(['/changelog', '/swagger', '/docs', '/'])
  const listed = listPagePaths().flatMap((path) => findPage(path, language) ?? [])
  const docs = new Set(docGroups.flatMap(({ pages }) => pages.map(toDocPath)))
  const buildSection = (title: string, isIn: (page: Page) => boolean) => {
    const lines = listed.filter(isIn).map((page) => formatPageLine(page, language))
    return lines.length > 0 ? [`## ${title}`, lines.join('\n')] : []
  }
  const isOptional = ({ path }: Page) => optional.has(path)
  const parts = [
    '# Trade Gateway',
    `> ${formatSiteText(language, 'llms_summary', { version: apiVersion })}`,
    formatSiteText(language, 'llms_notes'),
    describeOtherDocuments(language),
    ...buildSection(formatSiteText(language, 'docs'), (page) => docs.has(page.path) && !isOptional(page)),
    ...buildSection(formatSiteText(language, 'reference'), ({ path }) => path.startsWith('/reference')),
    ...buildSection(formatSiteText(language, 'errors'), ({ path }) => path.startsWith('/errors')),
    ...buildSection('Optional', isOptional),
  ]
  return `${parts.join('\n\n')}\n`
}

/** Describes the documents that are not pages, as text without links: every link of the list must lead to Markdown. */
function describeOtherDocuments(language: Language): string {
  const query = toLanguageQuery(language)
  return [
    `\`${toLlmsFullPath(language)}\`: ${formatSiteText(language, 'full_text', { count: countSummarized(language) })}`,
    `\`${addQuery('/openapi.json', query)}\`: OpenAPI 3.1`,
    `\`${addQuery(adminContractPath, query)}\`: OpenAPI 3.1 (${formatSiteText(language, 'group_of_admin')})`,
  ].join('\n\n')
}

function toLanguageQuery(language: Language): string {
  return language === 'en' ? '' : `?lang=${language}`
}

const adminContractPath = '/admin/openapi.json'

/** Builds the path of the full text in a language. */
export function toLlmsFullPath(language: Language): string {
  return toLlmsPath(language).replace('llms.txt', 'llms-full.txt')
}

function formatPageLine(page: Page, language: Language): string {
  const address = addQuery(toMarkdownPath(page.path), toLanguageQuery(language))
  const name = page.operation ? `${page.operation.method} ${page.operation.path}` : page.title
  const note = page.operation ? page.title : page.summary.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
  return `- [${name.replaceAll('[', '(').replaceAll(']', ')')}](${address}): ${note}`
}

/** The size limit of `/llms-full.txt`, which contains every page with its address. */
export const maxFullBytes = 400 * 1024

export function buildLlmsFullText(language: Language): string {
  const pages = listPagePaths().flatMap((path) => findPage(path, language) ?? [])
  const head = `# Trade Gateway\n\n> ${formatSiteText(language, 'llms_summary', { version: apiVersion })}\n`
  const bodies = pages.map((page) => {
    const text = renderPageMarkdown(toBriefPage(page), language, (all) => all)
    // The first line of each page links to the list, to which the top of this file already refers.
    return `\n---\n\nURL: ${toMarkdownPath(page.path)}\n\n${text.slice(text.indexOf('\n') + 2)}`
  })
  return `${head}${bodies.join('')}`
}

/**
 * Shortens a page for the full text: omits the pieces that repeat other pages. Of an operator's endpoint only the
 * description remains, because the readers of the full text are the channels' programs and agents.
 */
function toBriefPage(page: Page): Page {
  if (page.operation?.access === 'admin') {
    return { ...page, pieces: [...page.pieces.slice(0, 1), { markdown: `\`${adminContractPath}\`` }] }
  }
  return {
    ...page,
    pieces: page.pieces.map((piece) => ({ ...piece, markdown: piece.brief ?? piece.markdown })),
  }
}
