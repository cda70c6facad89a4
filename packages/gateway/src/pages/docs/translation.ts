import { codeMark, hashOf, isCode, kindOf, type Source } from './source.ts'

/** A block as a reader gets it. */
export interface ShownBlock {
  readonly text: string
  /** Its English heading words make its address, in every language. */
  readonly english: string
  /** Whether the translation is of an older source, or missing, so that English stands in. */
  readonly isStale: boolean
}

/** A page in one language. */
export interface ShownPage {
  readonly title: string
  readonly summary: string
  readonly blocks: readonly ShownBlock[]
  /** Whether there is no translation at all. */
  readonly isUntranslated: boolean
}

/** The English page as it is. */
export function original(source: Source): ShownPage {
  const { title, summary } = source
  const blocks = source.blocks.map((text) => ({ text, english: text, isStale: false }))
  return { title, summary, blocks, isUntranslated: false }
}

/**
 * The English page with its translation laid over it. A block whose source has changed since it was translated is
 * shown in English and marked; code always is the source's.
 */
export function translated(english: Source, translation: Source | undefined): ShownPage {
  if (!translation) return { ...original(english), isUntranslated: true }
  const known = new Map<string, string[]>()
  for (const [index, hash] of translation.sources.entries()) {
    const block = translation.blocks[index]
    if (block !== undefined) known.set(hash, [...(known.get(hash) ?? []), block])
  }
  const blocks = english.blocks.map((source) => {
    if (isCode(source)) return { text: source, english: source, isStale: false }
    const text = known.get(hashOf(source))?.shift()
    return {
      text: text === undefined ? source : withCode(text, source),
      english: source,
      isStale: text === undefined,
    }
  })
  const { title, summary } = translation
  return { title, summary, blocks, isUntranslated: false }
}

/** Fences inside a block, such as those of a list item, stand once too: in the source. */
function withCode(block: string, source: string): string {
  const fences = [...source.matchAll(/^([ \t]*)(`{3,}|~{3,})[\s\S]*?^\1\2[ \t]*$/gm)].map(([fence]) => fence)
  return block
    .split('\n')
    .map((line) => (line.trim() === codeMark ? (fences.shift() ?? line) : line))
    .join('\n')
}

/** What keeps a translation from following its source, each a sentence; empty where it does. */
export function misfits(english: Source, translation: Source): string[] {
  const [wanted, found] = [english.blocks, translation.blocks]
  if (wanted.length !== found.length) {
    const at = wanted.findIndex((block, index) => kindOf(block) !== kindOf(found[index] ?? ''))
    const where =
      at < 0 ? '' : `; they part at block ${at + 1}, ${JSON.stringify((wanted[at] ?? '').slice(0, 60))}`
    return [`it has ${found.length} blocks and its source has ${wanted.length}${where}`]
  }
  return wanted.flatMap((block, index) => {
    const own = found[index] ?? ''
    if (isCode(block) && own !== codeMark)
      return [`block ${index + 1} is to be ${codeMark}: code stands once, in English`]
    return kindOf(block) === kindOf(own)
      ? []
      : [
          `block ${index + 1} is ${kindOf(own)} and its source ${kindOf(block)}: ${JSON.stringify(block.slice(0, 60))}`,
        ]
  })
}

/** The blocks of the source that have no translation of their present text. */
export function staleBlocks(english: Source, translation: Source): string[] {
  return translated(english, translation)
    .blocks.filter(({ isStale }) => isStale)
    .map(({ text }) => text)
}
