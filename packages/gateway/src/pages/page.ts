import type { Language } from '../contract/language.ts'
import type { SiteWord } from '../contract/texts/site/en.ts'
import { texts } from '../contract/texts/texts.ts'
import type { Endpoint } from '../endpoint.ts'
import type { Html } from './html.ts'

/**
 * A page as data. Its HTML is rendered from its Markdown, so that both have the same content. A piece has separate HTML
 * only if Markdown cannot express it, such as a row of cards.
 */
export interface Page {
  /** The path of the page, such as `/docs/quickstart`. */
  readonly path: string
  readonly title: string
  /** A summary: one line of Markdown. */
  readonly summary: string
  readonly pieces: readonly Piece[]
  /** The breadcrumb links from the top level down, without the page itself. */
  readonly trail: readonly Link[]
  readonly previous?: Link | undefined
  readonly next?: Link | undefined
  /** The navigation beside the page; the home page has none. */
  readonly side?: readonly NavGroup[]
  readonly section: 'home' | 'docs' | 'reference' | 'errors' | 'swagger'
  readonly isUntranslated?: boolean
  /** Whether the page stands in for one that does not exist. */
  readonly isMissing?: true
  /** The endpoint that the page describes; shown in place of the summary. */
  readonly operation?: Pick<Endpoint, 'method' | 'path' | 'access'>
  /** Names of the additional scripts and style sheets of this page. */
  readonly assets?: readonly string[]
  /**
   * `wide`: without the line-length limit of running text. `landing`: the layout of the home page.
   * `endpoint`: samples stand beside the text on a wide screen.
   */
  readonly form?: 'wide' | 'landing' | 'endpoint'
}

export interface Piece {
  readonly markdown: string
  /** HTML that replaces the rendered Markdown. */
  readonly html?: (link: (href: string) => string, view: PageView) => Html
  /** The ids of the piece's headings, which are the same in every language. */
  readonly ids?: readonly string[]
  /** Whether the text is English because its translation is out of date. */
  readonly isStale?: boolean
  /** The shorter text for `llms-full.txt`; empty if the content follows from other pages. */
  readonly brief?: string
}

/** The reader's settings and what the gateway knows, as needed to render a page. */
export interface PageView {
  readonly language: Language
  /** `?lang=zh` if the address specified the language, so that links keep it; otherwise empty. */
  readonly query: string
  readonly assetPath: (name: string) => string
  /** Whether the gateway runs on the built-in sandbox ERP, so that pages may call it. */
  readonly isSandbox: boolean
}

export interface Link {
  readonly text: string
  readonly href: string
  /** A label before the text, such as an HTTP method. */
  readonly tag?: string
}

export interface NavGroup {
  readonly title: string
  readonly links: readonly Link[]
}

/** Formats a text of the site in a language and replaces its placeholders. */
export function formatSiteText(
  language: Language,
  id: SiteWord,
  details: Readonly<Record<string, string | number>> = {},
): string {
  return texts[language].site[id].replace(/\{(\w+)\}/g, (_whole, name: string) => String(details[name] ?? ''))
}

/** Builds the path of the list of all pages in a language. */
export function toLlmsPath(language: Language): string {
  return language === 'en' ? '/llms.txt' : `/${language}/llms.txt`
}

/** Renders a page as Markdown. `withLanguage` adds the reader's language to links within the site. */
export function renderPageMarkdown(
  page: Page,
  language: Language,
  withLanguage: (text: string) => string,
): string {
  const index = toLlmsPath(language)
  const pieces = page.pieces.map(({ markdown, isStale }) => {
    const text = markdown.replace(/^([ \t]*(?:`{3,}|~{3,})\w+)[ \t].*$/gm, '$1')
    return isStale ? `> ${formatSiteText(language, 'stale')}\n\n${text}` : text
  })
  const parts = [
    `> ${formatSiteText(language, 'index_line', { link: `[llms.txt](${index})` })}`,
    `# ${page.title}`,
    ...(page.isUntranslated ? [`> ${formatSiteText(language, 'untranslated')}`] : []),
    page.summary,
    ...pieces.filter((text) => text !== ''),
  ]
  return `${withLanguage(parts.join('\n\n'))}\n`
}

/** Leaves a piece out of `llms-full.txt`, because other pages have the content or because it is too long. */
export function omitFromFullText(piece: Piece): Piece {
  return { ...piece, brief: '' }
}

/** Formats a Markdown table; `|` in a cell is escaped. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const formatRow = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
  return [formatRow(head), formatRow(head.map(() => '---')), ...rows.map(formatRow)].join('\n')
}

/** Formats a fenced code block. */
export function fenceCode(code: string, language: string, isOutput = false): string {
  return `\`\`\`${language}${isOutput ? ' output' : ''}\n${code}\n\`\`\``
}
