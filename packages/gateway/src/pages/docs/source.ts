import { createHash } from 'node:crypto'
import { parseMarkdown } from './markdown.ts'

/**
 * A documentation page as written: front matter, then blocks. Blank lines at the top level of the Markdown separate
 * blocks: paragraphs, headings, tables, and the items of a list with blank lines between them. A fenced code block is
 * always one block. A translation contains the hash of the source of its title and summary and of each of its blocks.
 */
export interface Source {
  readonly title: string
  readonly summary: string
  /** In a translation: what `hashParts` returned for the English page that it was made from. */
  readonly sources: readonly string[]
  readonly blocks: readonly string[]
}

/** The error for a file that is not a valid page; the message says what is missing. */
export class MalformedPage extends Error {}

/** The placeholder in a translation for a code block of the source. */
export const codeMark = '[[code]]'

/** Parses a page. Throws `MalformedPage`. */
export function parseSource(text: string): Source {
  const [, front, body] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text.replaceAll('\r\n', '\n')) ?? []
  if (front === undefined || body === undefined) {
    throw new MalformedPage('the page does not begin with front matter between two lines of ---')
  }
  const fields = new Map<string, string>()
  for (const line of front.split('\n')) {
    const [, name, value] = /^(\w+):\s*(.*?)\s*$/.exec(line) ?? []
    if (name === undefined || value === undefined) throw new MalformedPage(`"${line}" is not name: value`)
    fields.set(name, value)
  }
  const requireField = (name: string) => {
    const value = fields.get(name)
    if (!value) throw new MalformedPage(`the front matter has no ${name}`)
    return value
  }
  return {
    title: requireField('title'),
    summary: requireField('summary'),
    sources: (fields.get('sources') ?? '').split(' ').filter((hash) => hash !== ''),
    blocks: splitBlocks(body),
  }
}

/** Splits the body of a page into its blocks. Throws `MalformedPage` if a code fence is not closed. */
export function splitBlocks(body: string): string[] {
  requireClosedFences(body)
  const lines = body.split('\n')
  const parts = findParts(body)
  const starts = parts
    .filter(({ first, isFence }, index) => isFence || parts[index - 1]?.isFence || isBlank(lines[first - 1]))
    .map(({ first }) => first)
  return starts.map((first, index) =>
    lines
      .slice(first, starts[index + 1])
      .join('\n')
      .trimEnd(),
  )
}

/** Finds the first line of each top-level element and of each item of a top-level list. */
function findParts(body: string): { first: number; isFence: boolean }[] {
  let list = false
  return parseMarkdown(body).flatMap(({ type, level, map }) => {
    if (level === 0) list = /^(?:bullet|ordered)_list_open$/.test(type)
    const isPart = level === 0 ? !list : level === 1 && type === 'list_item_open'
    return isPart && map ? [{ first: map[0], isFence: type === 'fence' }] : []
  })
}

function isBlank(line = ''): boolean {
  return line.trim() === ''
}

/** Throws if a fence is not closed. Such a block runs to the end of the text, so its last line is code. */
function requireClosedFences(text: string) {
  const lines = text.split('\n')
  for (const { type, map, markup } of parseMarkdown(text)) {
    if (type !== 'fence' || !map) continue
    const [opening, ...rest] = lines.slice(...map)
    if (!rest.at(-1)?.trimEnd().endsWith(markup))
      throw new MalformedPage(`the fenced code block "${opening?.trim()}" is not closed`)
  }
}

/** Lists the fenced code blocks of a text, including their fences. */
export function listFences(text: string): string[] {
  const lines = text.split('\n')
  return parseMarkdown(text).flatMap(({ type, map }) =>
    type === 'fence' && map ? [lines.slice(...map).join('\n')] : [],
  )
}

/** Returns the hash of a page's title and summary together, then the hash of each of its blocks. */
export function hashParts({ title, summary, blocks }: Omit<Source, 'sources'>): string[] {
  return [`${title}\n${summary}`, ...blocks].map(hashBlock)
}

/** Returns the first 8 hexadecimal digits of the SHA-256 of a block. */
function hashBlock(block: string): string {
  return createHash('sha256').update(block).digest('hex').slice(0, 8)
}

export function isCode(block: string): boolean {
  return parseMarkdown(block)[0]?.type === 'fence'
}

/** Describes the kind of a block. A translation must have the same kinds of blocks in the same order as its source. */
export function describeBlockKind(block: string): string {
  const [token] = parseMarkdown(block)
  if (token?.type === 'fence' || block === codeMark) return 'a code block'
  if (token?.type === 'heading_open') return `a heading of level ${token.tag.slice(1)}`
  return token?.type === 'table_open' ? 'a table' : 'text'
}
