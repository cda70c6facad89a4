/** A word of a diagram's text; code is set in a font of its own. */
export interface Word {
  readonly text: string
  readonly isCode: boolean
}

/**
 * Splits a text into as few lines as fit into `width` pixels, estimated from the widths of its characters, and makes
 * these lines about equally long.
 */
export function wrapText(text: string, width: number, size: number): Word[][] {
  const lines = fillLines(text, width, size)
  let [narrower, best] = [width - balanceStep, lines]
  while (narrower > 0) {
    const tried = fillLines(text, narrower, size)
    if (tried.length > lines.length) break
    best = tried
    narrower -= balanceStep
  }
  return best
}

/** The step in pixels by which lines are made narrower. */
const balanceStep = 6

function fillLines(text: string, width: number, size: number): Word[][] {
  const lines: Word[][] = [[]]
  let used = 0
  for (const word of splitWords(text).flatMap((each) => splitLongWord(each, width, size))) {
    const own = measureWord(word, size)
    const line = lines.at(-1) ?? []
    const mayBreak = word.isCode || !/^\p{P}/u.test(word.text)
    if (line.length > 0 && mayBreak && used + own > width) {
      const trimmed = { ...word, text: word.text.trimStart() }
      lines.push([trimmed])
      used = measureWord(trimmed, size)
    } else {
      line.push(word)
      used += own
    }
  }
  return lines
}

/** Splits a text where a line may end: at spaces, and around Han characters but not before punctuation. */
function splitWords(text: string): Word[] {
  return text.split('`').flatMap((part, index): Word[] => {
    if (index % 2 === 1) return [{ text: part, isCode: true }]
    const words = part.match(/ ?\p{sc=Han}\p{P}*| ?[^ \p{sc=Han}]+| +/gu) ?? []
    return words.map((word) => ({ text: word, isCode: false }))
  })
}

/** Splits a word that is longer than a line after its hyphens and underscores. */
function splitLongWord(word: Word, width: number, size: number): Word[] {
  if (measureWord(word, size) <= width) return [word]
  return (word.text.match(/[^_-]+[_-]?/g) ?? []).map((text) => ({ ...word, text }))
}

/** The widths of characters in parts of the font size, generously, because the reader's fonts are not known. */
const characterWidths: readonly (readonly [RegExp, number])[] = [
  [/[\p{sc=Han}\p{sc=Hangul}\u3000-\u303f\uff00-\uffef“”…]/u, 1],
  [/[mwMW@%]/, 0.9],
  [/[A-Z]/, 0.7],
  [/[ iljtf.,:;'|!()\][]/, 0.34],
]
const usualWidth = 0.58
const codeWidth = 0.62

function measureWord({ text, isCode }: Word, size: number): number {
  let width = 0
  for (const character of text) {
    const known = characterWidths.find(([pattern]) => pattern.test(character))?.[1]
    width += isCode ? Math.max(codeWidth, known ?? 0) : (known ?? usualWidth)
  }
  return width * size
}
