import { createHash } from 'node:crypto'

/**
 * A documentation page as it is written: front matter, then blocks. A block is what blank lines separate at the top
 * level (an indented line goes on with the block before it), and a fenced code block is one block. Translations are
 * tied to their source block by block, by the block's hash.
 */
export interface Source {
  readonly title: string
  readonly summary: string
  /** Of a translation: the hash of the source block behind each block. */
  readonly sources: readonly string[]
  readonly blocks: readonly string[]
}

/** The file is no page; the message says what is missing. */
export class MalformedPage extends Error {}

/** Where the code of the source stands in a translation. */
export const codeMark = '[[code]]'

/** Reads a page. Throws `MalformedPage`. */
export function sourceFrom(text: string): Source {
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
  const needed = (name: string) => {
    const value = fields.get(name)
    if (!value) throw new MalformedPage(`the front matter has no ${name}`)
    return value
  }
  return {
    title: needed('title'),
    summary: needed('summary'),
    sources: (fields.get('sources') ?? '').split(' ').filter((hash) => hash !== ''),
    blocks: blocksOf(body),
  }
}

/** The blocks of a page's body, in order. Throws `MalformedPage` where a fence is not closed. */
export function blocksOf(body: string): string[] {
  const blocks: string[] = []
  let block: string[] = []
  let fence: { readonly mark: string; readonly isOwn: boolean } | undefined
  const end = () => {
    const text = block.join('\n').trimEnd()
    if (text.trim() !== '') blocks.push(text)
    block = []
  }
  const lines = body.split('\n')
  for (const [index, line] of lines.entries()) {
    if (fence) {
      block.push(line)
      if (!isFenceEnd(line, fence.mark)) continue
      if (fence.isOwn) end()
      fence = undefined
      continue
    }
    const [, indent, mark] = /^(\s*)(`{3,}|~{3,})/.exec(line) ?? []
    if (mark !== undefined) {
      const isOwn = indent === ''
      if (isOwn) end()
      fence = { mark, isOwn }
      block.push(line)
    } else if (line.trim() === '') {
      if (goesOn(lines, index)) block.push('')
      else end()
    } else block.push(line)
  }
  if (fence) throw new MalformedPage('a fenced code block is not closed')
  end()
  return blocks
}

function isFenceEnd(line: string, mark: string): boolean {
  const text = line.trim()
  return text.length >= mark.length && [...text].every((character) => character === mark[0])
}

/** Whether the next line with text is indented, and so belongs to the block before the blank line. */
function goesOn(lines: readonly string[], blank: number): boolean {
  const next = lines.slice(blank + 1).find((line) => line.trim() !== '')
  return next !== undefined && /^\s/.test(next)
}

/** The first 8 hexadecimal digits of the SHA-256 of a block. */
export function hashOf(block: string): string {
  return createHash('sha256').update(block).digest('hex').slice(0, 8)
}

export function isCode(block: string): boolean {
  return /^(`{3,}|~{3,})/.test(block)
}

/** What a block is, so that a translation can be seen to follow its source. */
export function kindOf(block: string): string {
  if (isCode(block) || block === codeMark) return 'a code block'
  const heading = /^(#{1,6}) /.exec(block)?.[1]
  if (heading) return `a heading of level ${heading.length}`
  if (block.startsWith('|')) return 'a table'
  return 'text'
}
