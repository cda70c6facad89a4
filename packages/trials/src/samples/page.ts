/**
 * Parses the fenced blocks of a documentation page. Blocks marked `run` are executed, and a block marked `output` shows
 * the output of the previous block.
 */

/** A fenced block with the numbers of its lines, from 0. */
export interface Fence {
  readonly language: string
  /** The words after the language, such as `run` or `output`. */
  readonly words: readonly string[]
  readonly text: string
  readonly firstLine: number
  readonly lastLine: number
}

/** A block to execute, with the output that the page shows for it. */
export interface Sample {
  readonly fence: Fence
  readonly output: Fence | undefined
}

/** The error for a page that cannot be parsed. Its message specifies the line. */
export class MalformedPage extends Error {
  override readonly name = 'MalformedPage'
}

/** Returns the fenced blocks of a page, in order. Throws `MalformedPage`. */
export function readFences(page: string): Fence[] {
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

/** Returns the blocks to execute, each with the output directly after it. */
export function readSamples(page: string): Sample[] {
  const fences = readFences(page)
  const lines = page.split('\n')
  return fences.flatMap((fence, index) => {
    if (!fence.words.includes('run')) return []
    const next = fences[index + 1]
    const isNext = next?.words.includes('output') && areLinesBlank(lines, fence.lastLine + 1, next.firstLine)
    return [{ fence, output: isNext ? next : undefined }]
  })
}

function areLinesBlank(lines: readonly string[], from: number, to: number): boolean {
  return lines.slice(from, to).every((line) => line.trim() === '')
}

/** The output of a sample and the language in which it is shown. */
export interface FormattedOutput {
  readonly language: 'json' | 'text'
  readonly text: string
}

/** Replaces the outputs of a page, by the index of their sample. An empty text removes the output. */
export function replaceOutputs(page: string, outputs: ReadonlyMap<number, FormattedOutput>): string {
  const lines = page.split('\n')
  const samples = readSamples(page)
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
