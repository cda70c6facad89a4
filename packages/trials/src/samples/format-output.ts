/** Formats the output of a sample for its page: JSON with line breaks, long secrets shortened, the default address. */
import type { FormattedOutput } from './page.ts'

const width = 104
const usualAddress = 'http://127.0.0.1:8080'
/** The number of characters at the start of a token or secret that are shown. */
const shownTokenCharacters = 12
const maxShownLines = 120

/** Formats the output of a sample. `address` is the URL of the gateway that the sample called. */
export function formatOutput(printed: string, address: string): FormattedOutput {
  const text = printed
    .replaceAll('\r\n', '\n')
    .replaceAll(address, usualAddress)
    .replaceAll(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, (token) => `${token.slice(0, shownTokenCharacters)}…`)
    .replaceAll(/("(?:client_)?secret":")([^"]{12})[^"]*"/g, '$1$2…"')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/^\n+|\n+$/g, '')
  const value = parseJson(text)
  const lines = value === undefined ? text.split('\n').map(formatLine) : [formatJson(value, 0)]
  const all = lines.join('\n').split('\n')
  const tooMany = all.length - maxShownLines
  if (tooMany > 0) throw new Error(`A sample printed ${all.length} lines, ${tooMany} more than a page shows.`)
  return { language: value === undefined ? 'text' : 'json', text: all.join('\n') }
}

/**
 * Formats a line if it is a JSON object or array, such as a body printed after its headers; returns other lines
 * unchanged.
 */
function formatLine(line: string): string {
  const value = parseJson(line)
  return value === undefined ? line : formatJson(value, 0)
}

function parseJson(text: string): unknown {
  if (!/^[[{]/.test(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}

/**
 * Formats a value on one line if it fits. Otherwise lists get one line for each item, and objects several short members
 * on a line.
 */
function formatJson(value: unknown, indent: number, before = 0): string {
  const short = formatOnOneLine(value)
  if (indent + before + short.length <= width && measureDepth(value) < 3) return short
  const inner = ' '.repeat(indent + 2)
  const closing = ' '.repeat(indent)
  if (Array.isArray(value)) {
    return `[\n${value.map((each) => inner + formatJson(each, indent + 2, 1)).join(',\n')}\n${closing}]`
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([name, each]) => {
      const start = `${JSON.stringify(name)}: `
      return start + formatJson(each, indent + 2, start.length + 1)
    })
    return `{\n${wrapMembers(members, inner)}\n${closing}}`
  }
  return short
}

/** Puts members on a line up to its width. A member with braces or brackets gets its own line. */
function wrapMembers(members: readonly string[], inner: string): string {
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

function formatOnOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatOnOneLine).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(
      ([name, each]) => `${JSON.stringify(name)}: ${formatOnOneLine(each)}`,
    )
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
  }
  return JSON.stringify(value)
}

function measureDepth(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(measureDepth))
}
