/** How a page shows what a sample printed: JSON with line breaks, long secrets cut, the usual address. */
import type { Shown } from './page.ts'

const width = 104
const usualAddress = 'http://127.0.0.1:8080'
/** A token or secret is shown by its beginning: the whole of it tells a reader nothing. */
const shownTokenCharacters = 12
const mostShownLines = 120

/** What a sample printed, laid out for a reader. `address` is the gateway that it talked to. */
export function shownOf(printed: string, address: string): Shown {
  const text = printed
    .replaceAll('\r\n', '\n')
    .replaceAll(address, usualAddress)
    .replaceAll(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, (token) => `${token.slice(0, shownTokenCharacters)}…`)
    .replaceAll(/("(?:client_)?secret":")([^"]{12})[^"]*"/g, '$1$2…"')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/^\n+|\n+$/g, '')
  const value = jsonIn(text)
  const lines = value === undefined ? text.split('\n').map(laidOutLine) : [laidOut(value, 0)]
  const all = lines.join('\n').split('\n')
  const tooMany = all.length - mostShownLines
  if (tooMany > 0) throw new Error(`A sample printed ${all.length} lines, ${tooMany} more than a page shows.`)
  return { language: value === undefined ? 'text' : 'json', text: all.join('\n') }
}

/** A line of text that is a JSON object, such as a body after its headers, is laid out too. */
function laidOutLine(line: string): string {
  const value = jsonIn(line)
  return value === undefined ? line : laidOut(value, 0)
}

function jsonIn(text: string): unknown {
  if (!/^[[{]/.test(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}

/** On one line where it fits; else lists one item a line, and objects with their short members side by side. */
function laidOut(value: unknown, indent: number, before = 0): string {
  const short = onOneLine(value)
  if (indent + before + short.length <= width && depthOf(value) < 3) return short
  const inner = ' '.repeat(indent + 2)
  const closing = ' '.repeat(indent)
  if (Array.isArray(value)) {
    return `[\n${value.map((each) => inner + laidOut(each, indent + 2, 1)).join(',\n')}\n${closing}]`
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([name, each]) => {
      const start = `${JSON.stringify(name)}: `
      return start + laidOut(each, indent + 2, start.length + 1)
    })
    return `{\n${flowed(members, inner)}\n${closing}}`
  }
  return short
}

/** Members side by side as far as the width goes; one with braces or brackets has its line to itself. */
function flowed(members: readonly string[], inner: string): string {
  const lines: string[] = []
  let line = ''
  for (const [index, member] of members.entries()) {
    const text = index < members.length - 1 ? `${member},` : member
    const isAlone = /: [{[](?![}\]])/.test(member)
    if (line !== '' && (isAlone || inner.length + line.length + 1 + text.length > width)) {
      lines.push(inner + line)
      line = ''
    }
    line = line === '' ? text : `${line} ${text}`
    if (isAlone) {
      lines.push(inner + line)
      line = ''
    }
  }
  if (line !== '') lines.push(inner + line)
  return lines.join('\n')
}

function onOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${onOneLine(each)}`)
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
  }
  return JSON.stringify(value)
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}
