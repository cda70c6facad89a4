/** A forbidden word with its replacement. Code is not checked. */
export interface WordRule {
  readonly pattern: RegExp
  readonly instead: string
}

export const maxWordsPerSentence = 35

export const wordRules: readonly WordRule[] = [
  { pattern: /\banswer(?:s|ed|ing)?\b/gi, instead: 'response (the noun), returns or responds (the verb)' },
  { pattern: /\b(?:tell|tells|told|telling)\b/gi, instead: 'report, show or say' },
  { pattern: /\bneeded\b/gi, instead: 'required' },
  { pattern: /\b(?:in doubt|doubts?)\b/gi, instead: 'outcome unknown; the field is `in_doubt`' },
  { pattern: /\bprovok\w*/gi, instead: 'reproduce' },
  { pattern: /\bmend(?:s|ed|ing)?\b/gi, instead: 'fix' },
  { pattern: /\b(?:made|make|makes|making)[ -]up\b/gi, instead: 'simulated' },
  { pattern: /\banew\b/gi, instead: 'again' },
  { pattern: /\b(?:stand|stands|stood|standing)\b/gi, instead: 'is at, is in; represents' },
  { pattern: /\bworth\b/gi, instead: 'guarantee' },
  { pattern: /\bis none\b/gi, instead: 'is not valid' },
  { pattern: /\bdoors?\b/gi, instead: 'pipeline, or the HTTP term' },
  { pattern: /\b(?:shelf|shelves)\b/gi, instead: 'snapshot' },
  { pattern: /\blanes?\b/gi, instead: 'queue worker' },
  { pattern: /\bhouses?\b/gi, instead: 'architecture' },
  { pattern: /\brooms?\b/gi, instead: 'module' },
  {
    pattern: /\bpoints (?:a|per|each|every) minute\b|\beach minute\b|\buntil the minute\b/gi,
    instead: 'points per 60 seconds',
  },
]

/** Patterns of identifiers, which must be in code font. */
const identifiers: readonly RegExp[] = [
  /(?<![\w/.-])[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?![\w/])/g,
  /(?<![\w/.-])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![\w/])/g,
  /\b(?:Idempotency-Key|Retry-After|If-None-Match|X-[A-Z][A-Za-z-]+|RateLimit-[A-Z][a-z]+|Content-Type)\b/g,
  /\b(?:GET|POST|PUT|PATCH|DELETE) \/[\w/{}?=&-]*/g,
]

/** A violation of a prose rule in one line. */
export interface Violation {
  readonly line: number
  readonly message: string
}

/** A unit of prose: a paragraph, a list item, a table cell or a text of the contract. */
export interface Passage {
  readonly line: number
  readonly text: string
}

export interface Options {
  /** Whether the text is Markdown, in which identifiers must be in code font. */
  readonly isMarkdown: boolean
}

const maxShown = 60
/** The word that replaces code before the checks, so that code counts as one word and its words are not checked. */
const codeWord = '\u00abcode\u00bb'

/** Returns all violations of the prose rules in a passage. */
export function findViolations({ line, text }: Passage, { isMarkdown }: Options): Violation[] {
  const prose = text
    .replaceAll(/``[^`]+``|`[^`]*`|\{\w+\}/g, codeWord)
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/https?:\/\/\S+/g, codeWord)
    .replaceAll(/\*\*?([^*]+)\*\*?/g, '$1')
  const long = splitSentences(prose)
    .map((sentence) => ({ sentence, count: countWords(sentence) }))
    .filter(({ count }) => count > maxWordsPerSentence)
    .map(({ sentence, count }) => `${count} words in one sentence: "${sentence.slice(0, maxShown)}…"`)
  const words = wordRules.flatMap(({ pattern, instead }) =>
    [...prose.matchAll(pattern)].map(([found]) => `"${found}": write ${instead}`),
  )
  const bare = isMarkdown
    ? identifiers.flatMap((pattern) =>
        [...prose.matchAll(pattern)].map(([found]) => `"${found}" must be in code font`),
      )
    : []
  return [...long, ...words, ...bare].map((message) => ({ line, message }))
}

/**
 * Splits after `.`, `?`, `!` and `:` if white space and the likely start of a sentence follow, such as a capital
 * letter. Numbers and versions stay whole.
 */
function splitSentences(prose: string): string[] {
  return prose.split(/(?<=[.?!:][)”"’]*)\s+(?=[\p{Lu}\p{N}“"(«{<$])/u)
}

function countWords(sentence: string): number {
  return sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}

/** Splits a Markdown page into passages. Code blocks are left out, and each table cell is one passage. */
export function splitPassages(markdown: string): Passage[] {
  const passages: Passage[] = []
  let open: { line: number; parts: string[] } | undefined
  let fence: string | undefined
  const endPassage = () => {
    if (open) passages.push({ line: open.line, text: open.parts.join(' ') })
    open = undefined
  }
  for (const [index, row] of markdown.split('\n').entries()) {
    const line = index + 1
    const mark = /^\s*(`{3,}|~{3,})/.exec(row)?.[1]
    if (mark !== undefined || fence !== undefined) {
      endPassage()
      if (fence === undefined) fence = mark
      else if (mark?.startsWith(fence)) fence = undefined
      continue
    }
    const begins = /^\s*(?:[-*+]|\d+\.)\s+|^#+\s+|^>\s*|^(?:title|summary): /.exec(row)?.[0]
    if (begins !== undefined || row.trim() === '' || row.trimStart().startsWith('|')) endPassage()
    if (row.trim() === '' || /^-{3,}$/.test(row) || /^sources: /.test(row)) continue
    if (row.trimStart().startsWith('|')) {
      passages.push(...splitCells(row).map((text) => ({ line, text })))
      continue
    }
    const text = row.slice(begins?.length ?? 0).trim()
    if (open) open.parts.push(text)
    else open = { line, parts: [text] }
    if (row.startsWith('#')) endPassage()
  }
  endPassage()
  return passages
}

function splitCells(row: string): string[] {
  const cells = row
    .replaceAll('\\|', '¦')
    .split('|')
    .map((cell) => cell.trim())
  return cells.filter((cell) => cell !== '' && !/^:?-+:?$/.test(cell))
}
