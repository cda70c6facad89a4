/**
 * A documentation page as its samples see it: fenced blocks at the top level, of which those marked `run` are
 * executed, and a block marked `output` shows what the one before it printed.
 */

/** A fenced block with the lines that it stands on, counted from 0. */
export interface Fence {
  readonly language: string
  /** The words after the language, as `run` or `output`. */
  readonly words: readonly string[]
  readonly text: string
  readonly firstLine: number
  readonly lastLine: number
}

/** A block to be executed, and what the page shows of its output. */
export interface Sample {
  readonly fence: Fence
  readonly output: Fence | undefined
}

/** The page cannot be read; the message says where. */
export class MalformedPage extends Error {
  override readonly name = 'MalformedPage'
}

/** The fenced blocks of a page, in order. Throws `MalformedPage`. */
export function fencesOf(page: string): Fence[] {
  const fences: Fence[] = []
  let open: { readonly info: string; readonly firstLine: number; readonly lines: string[] } | undefined
  for (const [index, line] of page.split('\n').entries()) {
    if (open && line === '```') {
      const [language = '', ...words] = open.info.split(' ')
      fences.push({
        language,
        words,
        text: open.lines.join('\n'),
        firstLine: open.firstLine,
        lastLine: index,
      })
      open = undefined
    } else if (open) open.lines.push(line)
    else if (line.startsWith('```')) open = { info: line.slice(3), firstLine: index, lines: [] }
  }
  if (open) throw new MalformedPage(`line ${open.firstLine + 1}: the code block is not closed`)
  return fences
}

/** The blocks of a page that are executed, each with the output that stands directly after it. */
export function samplesOf(page: string): Sample[] {
  const fences = fencesOf(page)
  const lines = page.split('\n')
  return fences.flatMap((fence, index) => {
    if (!fence.words.includes('run')) return []
    const next = fences[index + 1]
    const isNext = next?.words.includes('output') && isBlank(lines, fence.lastLine + 1, next.firstLine)
    return [{ fence, output: isNext ? next : undefined }]
  })
}

function isBlank(lines: readonly string[], from: number, to: number): boolean {
  return lines.slice(from, to).every((line) => line.trim() === '')
}

/** What a sample printed, in the language in which it is shown. */
export interface Shown {
  readonly language: 'json' | 'text'
  readonly text: string
}

/** The page with new outputs, by the index of their sample. An empty text takes the output away. */
export function withOutputs(page: string, outputs: ReadonlyMap<number, Shown>): string {
  const lines = page.split('\n')
  const samples = samplesOf(page)
  for (const [index, { language, text }] of [...outputs].toSorted(([one], [other]) => other - one)) {
    const sample = samples[index]
    if (!sample) continue
    const after = sample.fence.lastLine + 1
    const end = (sample.output?.lastLine ?? sample.fence.lastLine) + 1
    const block = text === '' ? [] : ['', `\`\`\`${language} output`, ...text.split('\n'), '```']
    lines.splice(after, end - after, ...block)
  }
  return lines.join('\n')
}
