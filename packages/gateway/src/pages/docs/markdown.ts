import { raw } from 'hono/html'
import MarkdownIt from 'markdown-it'
import { type Html, html } from '../html.ts'
import { highlightCode } from './highlight.ts'

interface RenderedTexts {
  readonly output: string
  readonly table: string
  readonly link: string
}

/** The state while one page's Markdown is rendered: its settings, and the headings found so far. */
export class Rendering {
  /** Appended to links within the site, such as `?lang=zh`; empty if the reader did not request a language. */
  readonly query: string
  readonly words: RenderedTexts
  /** The ids of the next headings in order. Further headings get an id derived from their text. */
  ids: string[] = []
  readonly headings: Heading[] = []
  readonly used = new Set<string>()

  constructor(query: string, words: RenderedTexts) {
    this.query = query
    this.words = words
  }
}

/** Returns the state that `renderMarkdown` and `renderInlineMarkdown` pass to the rules of markdown-it. */
function readRendering(env: Readonly<Record<string, unknown>> | undefined): Rendering {
  if (env?.rendering instanceof Rendering) return env.rendering
  throw new Error('Markdown is rendered through renderMarkdown.')
}

export interface Heading {
  readonly level: number
  readonly id: string
  readonly text: string
}

/** The Markdown parser. It shows raw HTML as text, so that the content of a page cannot add markup. */
const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false })
const { rules } = markdown.renderer

rules.fence = (tokens, index, _options, env) => {
  const { info = '', content = '' } = tokens[index] ?? {}
  const [language = '', ...marks] = info.trim().split(/\s+/)
  const caption = marks.includes('output') ? readRendering(env).words.output : undefined
  return String(renderCodeBlock(content.replace(/\n$/, ''), language, caption))
}
rules.code_block = (tokens, index) =>
  String(renderCodeBlock((tokens[index]?.content ?? '').replace(/\n$/, ''), ''))
rules.table_open = (_tokens, _index, _options, env) =>
  String(
    html`<div class="scroll" role="region" tabindex="0" aria-label="${readRendering(env).words.table}"><table>\n`,
  )
rules.table_close = () => '</table></div>\n'
rules.th_open = () => '<th scope="col">'
rules.td_open = () => '<td>'
rules.heading_open = (tokens, index, _options, env) => {
  const rendering = readRendering(env)
  const { tag = 'h2' } = tokens[index] ?? {}
  const text = joinText(tokens[index + 1]?.children ?? [])
  const id = findFreeId(rendering.ids.shift() ?? toSlug(text), rendering.used)
  rendering.headings.push({ level: Number(tag.slice(1)), id, text })
  return String(html`<${tag} id="${id}">`)
}
rules.heading_close = (tokens, index, _options, env) => {
  const { headings, words } = readRendering(env)
  const { tag = 'h2' } = tokens[index] ?? {}
  const { id = '', text = '' } = headings.at(-1) ?? {}
  return String(html` <a class="anchor" href="#${id}" aria-label="${words.link}: ${text}">#</a></${tag}>\n`)
}
rules.link_open = (tokens, index, options, env, self) => {
  const token = tokens[index]
  const href = String(token?.attrGet('href') ?? '')
  if (href.startsWith('/')) token?.attrSet('href', addQuery(href, readRendering(env).query))
  else if (!href.startsWith('#')) token?.attrSet('rel', 'noreferrer')
  return self.renderToken(tokens, index, options)
}

/** Renders Markdown as HTML. */
export function renderMarkdown(text: string, rendering: Rendering): Html {
  return raw(markdown.render(text, { rendering }))
}

/** Renders one line of Markdown, such as a summary, without a paragraph around it. */
export function renderInlineMarkdown(text: string, rendering: Rendering): Html {
  return raw(markdown.renderInline(text, { rendering }))
}

/** Parses a text into the tokens of markdown-it. */
export function parseMarkdown(text: string): ReturnType<typeof markdown.parse> {
  return markdown.parse(text, {})
}

/** Lists the ids of the headings of an English text. */
export function listHeadingIds(text: string): string[] {
  const tokens = parseMarkdown(text)
  const slugs = tokens.flatMap((token, index) =>
    token.type === 'heading_open' ? [toSlug(joinText(tokens[index + 1]?.children ?? []))] : [],
  )
  return slugs.map((slug, index) => {
    const earlier = slugs.slice(0, index).filter((each) => each === slug).length
    return earlier === 0 ? slug : `${slug}-${earlier + 1}`
  })
}

/** A section of a page: the text from one heading of level 2 or 3 to the next, without markup. */
export interface TextSection {
  /** The id of the heading; empty before the first heading. */
  readonly id: string
  readonly heading: string
  readonly text: string
}

interface SectionedPiece {
  readonly markdown: string
  readonly ids?: readonly string[]
  /** Set if the piece is rendered from something else than its Markdown, so that its headings have no ids here. */
  readonly html?: unknown
}

const maxSectionLevel = 3

/** Splits the pieces of a page into sections, whose ids are those of its HTML. */
export function splitSections(pieces: readonly SectionedPiece[]): TextSection[] {
  const used = new Set(['content'])
  const sections: { id: string; heading: string; texts: string[] }[] = [{ id: '', heading: '', texts: [] }]
  for (const { markdown: text, ids = [], html: own } of pieces) {
    const left = [...ids]
    const tokens = parseMarkdown(text)
    for (const [index, { type, children }] of tokens.entries()) {
      if (type !== 'inline') continue
      const opening = tokens[index - 1]
      const words = joinText(children ?? [])
      if (own !== undefined || opening?.type !== 'heading_open') {
        sections.at(-1)?.texts.push(words)
        continue
      }
      const id = findFreeId(left.shift() ?? toSlug(words), used)
      if (Number(opening.tag.slice(1)) <= maxSectionLevel) sections.push({ id, heading: words, texts: [] })
      else sections.at(-1)?.texts.push(words)
    }
  }
  return sections.map(({ id, heading, texts }) => ({ id, heading, text: texts.join(' ') }))
}

/** Lists every link target in a text. */
export function listLinks(text: string): string[] {
  return parseMarkdown(text)
    .flatMap(({ children }) => children ?? [])
    .filter(({ type }) => type === 'link_open')
    .map((token) => String(token.attrGet('href') ?? ''))
}

/** Adds the requested language to a link within the site. */
export function addQuery(href: string, query: string): string {
  if (query === '') return href
  const [address = '', fragment] = href.split('#', 2)
  return `${address}${query}${fragment === undefined ? '' : `#${fragment}`}`
}

/** Renders a code block. The caption marks captured output. */
export function renderCodeBlock(code: string, language: string, caption?: string): Html {
  const kind = caption === undefined ? 'code' : 'code output'
  const said = caption === undefined ? undefined : html`<figcaption>${caption}</figcaption>`
  return html`<figure class="${kind}">${said}<pre tabindex="0"><code>${highlightCode(code, language)}</code></pre></figure>\n`
}

export function toSlug(text: string): string {
  return (
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_]+/gu, '-')
      .replace(/^-+|-+$/g, '') || 'section'
  )
}

function findFreeId(wanted: string, used: Set<string>): string {
  let id = wanted
  for (let number = 2; used.has(id); number++) id = `${wanted}-${number}`
  used.add(id)
  return id
}

function joinText(children: readonly { type: string; content: string }[]): string {
  return children
    .filter(({ type }) => type === 'text' || type === 'code_inline' || type === 'softbreak')
    .map(({ type, content }) => (type === 'softbreak' ? ' ' : content))
    .join('')
}
