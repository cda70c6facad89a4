import { codeMark, describeBlockKind, hashParts, isCode, listFences, type Source } from './source.ts'

/** A block as the page shows it. */
export interface ShownBlock {
  readonly text: string
  /** The English text; the ids of headings are derived from it in every language. */
  readonly english: string
  /** Whether the English text is shown because the translation is missing or out of date. */
  readonly isStale: boolean
}

/** A page in one language. */
export interface ShownPage {
  readonly title: string
  readonly summary: string
  readonly blocks: readonly ShownBlock[]
  /** Whether title and summary are English because their translation is out of date. */
  readonly isHeadStale: boolean
  /** Whether there is no translation at all. */
  readonly isUntranslated: boolean
}

/** Converts an English page. */
export function toOriginalPage(source: Source): ShownPage {
  const { title, summary } = source
  const blocks = source.blocks.map((text) => ({ text, english: text, isStale: false }))
  return { title, summary, blocks, isHeadStale: false, isUntranslated: false }
}

/**
 * Replaces title and summary, and each block of an English page, by their translation. If the source of a block has
 * changed since it was translated, the block stays English and is marked. Title and summary go together in this.
 * Code always comes from the source.
 */
export function translateBlocks(english: Source, translation: Source | undefined): ShownPage {
  if (!translation) return { ...toOriginalPage(english), isUntranslated: true }
  const known = new Map<string, string[]>()
  const [headHash, ...blockHashes] = translation.sources
  for (const [index, hash] of blockHashes.entries()) {
    const block = translation.blocks[index]
    if (block !== undefined) known.set(hash, [...(known.get(hash) ?? []), block])
  }
  const [currentHeadHash, ...currentHashes] = hashParts(english)
  const blocks = english.blocks.map((source, index) => {
    if (isCode(source)) return { text: source, english: source, isStale: false }
    const text = known.get(currentHashes[index] ?? '')?.shift()
    return {
      text: text === undefined ? source : restoreCode(text, source),
      english: source,
      isStale: text === undefined,
    }
  })
  const isHeadStale = headHash !== currentHeadHash
  const { title, summary } = isHeadStale ? english : translation
  return { title, summary, blocks, isHeadStale, isUntranslated: false }
}

/** Inserts the source's code for the placeholders inside a block, such as those of a list item. */
function restoreCode(block: string, source: string): string {
  const fences = listFences(source)
  return block
    .split('\n')
    .map((line) => (line.trim() === codeMark ? (fences.shift() ?? line) : line))
    .join('\n')
}

/** Lists the differences in structure between a translation and its source; empty if there are none. */
export function findStructureDifferences(english: Source, translation: Source): string[] {
  const [wanted, found] = [english.blocks, translation.blocks]
  if (wanted.length !== found.length) {
    const at = wanted.findIndex(
      (block, index) => describeBlockKind(block) !== describeBlockKind(found[index] ?? ''),
    )
    const where =
      at < 0 ? '' : `; they differ from block ${at + 1}, ${JSON.stringify((wanted[at] ?? '').slice(0, 60))}`
    return [`it has ${found.length} blocks and its source has ${wanted.length}${where}`]
  }
  return wanted.flatMap((block, index) => {
    const own = found[index] ?? ''
    if (isCode(block) && own !== codeMark)
      return [`block ${index + 1} must be ${codeMark}: only the English page has the code`]
    return describeBlockKind(block) === describeBlockKind(own)
      ? []
      : [
          `block ${index + 1} is ${describeBlockKind(own)} and its source ${describeBlockKind(block)}: ${JSON.stringify(block.slice(0, 60))}`,
        ]
  })
}

/** Lists the source blocks whose current text has no translation; title and summary together count as the first. */
export function listStaleBlocks(english: Source, translation: Source): string[] {
  const { title, summary, blocks, isHeadStale } = translateBlocks(english, translation)
  const stale = blocks.filter(({ isStale }) => isStale).map(({ text }) => text)
  return isHeadStale ? [`${title}\n${summary}`, ...stale] : stale
}
