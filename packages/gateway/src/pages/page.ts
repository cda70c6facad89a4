import type { Language } from '../contract/language.ts'
import type { SiteWord } from '../contract/texts/site/en.ts'
import { texts } from '../contract/texts/texts.ts'

/**
 * A page as data. Its Markdown is the page; its HTML is rendered from the same Markdown, so that both say the same.
 * Only where Markdown has no form for something, such as a row of cards, a piece has HTML of its own beside it.
 */
export interface Page {
  /** Where it stands: `/docs/quickstart`. */
  readonly path: string
  readonly title: string
  /** One line of Markdown. */
  readonly summary: string
  readonly pieces: readonly Piece[]
  /** From the first level down, without the page itself. */
  readonly trail: readonly Link[]
  readonly previous?: Link | undefined
  readonly next?: Link | undefined
  /** The navigation beside it; none on the first page. */
  readonly side?: readonly NavGroup[]
  readonly section: 'home' | 'docs' | 'reference' | 'errors' | 'swagger'
  readonly isUntranslated?: boolean
  /** The endpoint that the page describes: shown in place of the summary. */
  readonly operation?: { readonly method: string; readonly path: string }
  /** Scripts and style sheets of its own, by their names among the assets. */
  readonly assets?: readonly string[]
  /** `wide`: without the measure of running text. `landing`: the first page's own form. */
  readonly form?: 'wide' | 'landing'
}

export interface Piece {
  readonly markdown: string
  /** Instead of the rendered Markdown. */
  readonly html?: (link: (href: string) => string) => string
  /** The addresses of its headings, which are the same in every language. */
  readonly ids?: readonly string[]
  /** English in place of a translation that is out of date. */
  readonly isStale?: boolean
  /** What stands for it in one file of everything: nothing where it follows from the rest. */
  readonly brief?: string
}

export interface Link {
  readonly text: string
  readonly href: string
  /** What stands before the text, such as a method. */
  readonly tag?: string
}

export interface NavGroup {
  readonly title: string
  readonly links: readonly Link[]
}

/** A word of the site in a language, its placeholders filled. */
export function word(
  language: Language,
  id: SiteWord,
  details: Readonly<Record<string, string | number>> = {},
): string {
  return texts[language].site[id].replace(/\{(\w+)\}/g, (_whole, name: string) => String(details[name] ?? ''))
}

/** Where the list of all pages stands in a language. */
export function llmsPath(language: Language): string {
  return language === 'en' ? '/llms.txt' : `/${language}/llms.txt`
}

/** A page as Markdown. `link` puts the reader's language into links within the site. */
export function pageMarkdown(page: Page, language: Language, withLanguage: (text: string) => string): string {
  const index = llmsPath(language)
  const pieces = page.pieces.map(({ markdown, isStale }) => {
    const text = markdown.replace(/^([ \t]*(?:`{3,}|~{3,})\w+)[ \t].*$/gm, '$1')
    return isStale ? `> ${word(language, 'stale')}\n\n${text}` : text
  })
  const parts = [
    `> ${word(language, 'index_line', { link: `[llms.txt](${index})` })}`,
    `# ${page.title}`,
    ...(page.isUntranslated ? [`> ${word(language, 'untranslated')}`] : []),
    page.summary,
    ...pieces.filter((text) => text !== ''),
  ]
  return `${withLanguage(parts.join('\n\n'))}\n`
}

/** A table in Markdown; `|` in a cell is escaped. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** A fenced block of code. */
export function fenced(code: string, language: string, isOutput = false): string {
  return `\`\`\`${language}${isOutput ? ' output' : ''}\n${code}\n\`\`\``
}
