import MarkdownIt from 'markdown-it'
import { escaped } from '../escape.ts'
import { highlighted } from './highlight.ts'

interface Words {
  readonly output: string
  readonly table: string
  readonly link: string
}

/** What one page's Markdown is rendered with, and what is found on the way. */
export class Rendering {
  /** Appended to links within the site, as `?lang=zh`; empty where the reader asked for no language. */
  readonly query: string
  readonly words: Words
  /** The addresses of the next headings in order; what is missing is made of the heading's own words. */
  ids: string[] = []
  readonly headings: Heading[] = []
  readonly used = new Set<string>()

  constructor(query: string, words: Words) {
    this.query = query
    this.words = words
  }
}

/** What markdown-it hands on to its rules: always the rendering of `markdownHtml` and `inlineHtml`. */
function renderingFrom(env: Readonly<Record<string, unknown>> | undefined): Rendering {
  if (env?.rendering instanceof Rendering) return env.rendering
  throw new Error('Markdown is rendered through markdownHtml.')
}

export interface Heading {
  readonly level: number
  readonly id: string
  readonly text: string
}

/** Raw HTML is shown as text: what a page holds cannot become markup. */
const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false })
const { rules } = markdown.renderer

rules.fence = (tokens, index, _options, env) => {
  const { info = '', content = '' } = tokens[index] ?? {}
  const [language = '', ...marks] = info.trim().split(/\s+/)
  return codeBlock(
    content.replace(/\n$/, ''),
    language,
    marks.includes('output') ? renderingFrom(env).words.output : undefined,
  )
}
rules.code_block = (tokens, index) => codeBlock((tokens[index]?.content ?? '').replace(/\n$/, ''), '')
rules.table_open = (_tokens, _index, _options, env) =>
  `<div class="scroll" role="region" tabindex="0" aria-label="${escaped(renderingFrom(env).words.table)}"><table>\n`
rules.table_close = () => '</table></div>\n'
rules.th_open = () => '<th scope="col">'
rules.td_open = () => '<td>'
rules.heading_open = (tokens, index, _options, env) => {
  const rendering = renderingFrom(env)
  const { tag = 'h2' } = tokens[index] ?? {}
  const text = plainText(tokens[index + 1]?.children ?? [])
  const id = freeId(rendering.ids.shift() ?? slugOf(text), rendering.used)
  rendering.headings.push({ level: Number(tag.slice(1)), id, text })
  return `<${tag} id="${escaped(id)}">`
}
rules.heading_close = (tokens, index, _options, env) => {
  const { headings, words } = renderingFrom(env)
  const { tag = 'h2' } = tokens[index] ?? {}
  const { id = '', text = '' } = headings.at(-1) ?? {}
  return ` <a class="anchor" href="#${escaped(id)}" aria-label="${escaped(`${words.link}: ${text}`)}">#</a></${tag}>\n`
}
rules.link_open = (tokens, index, options, env, self) => {
  const token = tokens[index]
  const href = String(token?.attrGet('href') ?? '')
  if (href.startsWith('/')) token?.attrSet('href', localLink(href, renderingFrom(env).query))
  else if (!href.startsWith('#')) token?.attrSet('rel', 'noreferrer')
  return self.renderToken(tokens, index, options)
}

/** Markdown as HTML. */
export function markdownHtml(text: string, rendering: Rendering): string {
  return markdown.render(text, { rendering })
}

/** A line of Markdown, such as a summary, without a paragraph around it. */
export function inlineHtml(text: string, rendering: Rendering): string {
  return markdown.renderInline(text, { rendering })
}

/** The addresses of the headings of an English text. */
export function headingIds(text: string): string[] {
  const tokens = markdown.parse(text, {})
  return tokens.flatMap((token, index) =>
    token.type === 'heading_open' ? [slugOf(plainText(tokens[index + 1]?.children ?? []))] : [],
  )
}

/** Every link target of a text. */
export function linksOf(text: string): string[] {
  return markdown
    .parse(text, {})
    .flatMap(({ children }) => children ?? [])
    .filter(({ type }) => type === 'link_open')
    .map((token) => String(token.attrGet('href') ?? ''))
}

/** The words of a text: what a search looks through. */
export function wordsOf(text: string): string {
  return markdown
    .parse(text, {})
    .filter(({ type }) => type === 'inline')
    .map(({ children }) => plainText(children ?? []))
    .join(' ')
}

/** A link within the site with the language that the reader asked for. */
export function localLink(href: string, query: string): string {
  if (query === '') return href
  const [address = '', fragment] = href.split('#', 2)
  return `${address}${query}${fragment === undefined ? '' : `#${fragment}`}`
}

/** A figure of code; a caption for what was captured and not typed. */
export function codeBlock(code: string, language: string, caption?: string): string {
  const kind = caption === undefined ? 'code' : 'code output'
  const said = caption === undefined ? '' : `<figcaption>${escaped(caption)}</figcaption>`
  return `<figure class="${kind}">${said}<pre tabindex="0"><code>${highlighted(code, language)}</code></pre></figure>\n`
}

export function slugOf(text: string): string {
  return (
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_]+/gu, '-')
      .replace(/^-+|-+$/g, '') || 'section'
  )
}

function freeId(wanted: string, used: Set<string>): string {
  let id = wanted
  for (let number = 2; used.has(id); number++) id = `${wanted}-${number}`
  used.add(id)
  return id
}

function plainText(children: readonly { type: string; content: string }[]): string {
  return children
    .filter(({ type }) => type === 'text' || type === 'code_inline' || type === 'softbreak')
    .map(({ type, content }) => (type === 'softbreak' ? ' ' : content))
    .join('')
}
