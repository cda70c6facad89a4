/**
 * Compares the terms of the glossary with the pages and texts: where the English says a term, the translation says the
 * glossary's word for it. The terms come from the rows of `docs/en/glossary.md`. `glossary-exceptions.ts` has the places
 * that differ on purpose.
 */

import type { Language } from '../src/contract/language.ts'
import { docsFolder, readSource } from '../src/pages/docs/library.ts'
import { isCode } from '../src/pages/docs/source.ts'
import { writtenDocs } from '../src/pages/docs/tree.ts'
import { listAllTexts } from './all-texts.ts'

export interface Term {
  /** The first cell of the row, such as `void (an order)`. */
  readonly english: string
  readonly zh: readonly string[]
  readonly ko: readonly string[]
}

export interface Passage {
  /** The page's path, or the name of a text. */
  readonly place: string
  readonly english: string
  readonly translation: string
}

/** Reads the rows of the glossary in a language; the rows of the three languages differ in the meaning only. */
export function readTerms(language: Language): Term[] {
  const { blocks = [] } = readSource(docsFolder, language, 'glossary') ?? {}
  const rows = blocks
    .filter((block) => block.startsWith('| English |'))
    .flatMap((block) => block.split('\n').slice(2))
  return rows.map((row) => {
    const [, english = '', zh = '', ko = ''] = row.split('|').map((cell) => cell.trim())
    return { english, zh: zh.split('、'), ko: ko.split(', ') }
  })
}

/** Lists the blocks of every page except the glossary, and every text, with their translations. */
export function listPassages(language: 'zh' | 'ko'): Passage[] {
  const texts = listAllTexts(language)
  return [
    ...writtenDocs.filter((path) => path !== 'glossary').flatMap((path) => listPagePassages(language, path)),
    ...[...listAllTexts('en')].map(([place, english]) => ({
      place,
      english,
      translation: texts.get(place) ?? '',
    })),
  ]
}

function listPagePassages(language: 'zh' | 'ko', path: string): Passage[] {
  const english = readSource(docsFolder, 'en', path)
  const own = readSource(docsFolder, language, path)
  if (!english || !own) return []
  const head = {
    place: path,
    english: `${english.title}\n${english.summary}`,
    translation: `${own.title}\n${own.summary}`,
  }
  const blocks = english.blocks.flatMap((block, index) =>
    isCode(block) ? [] : [{ place: path, english: block, translation: own.blocks[index] ?? '' }],
  )
  return [head, ...blocks]
}

/** Whether the English of a passage has a term and its translation has none of the words for it. */
export function lacksTerm(term: Term, { english, translation }: Passage, words: readonly string[]): boolean {
  const names = term.english.replace(/ \(.*\)/, '').split(', ')
  if (!names.some((name) => toPattern(name).test(removeCode(english)))) return false
  // A gloss in parentheses may be inside a term, as in 위탁배송(드롭쉬핑) 주문; spaces in Korean compounds vary.
  const texts = [translation, translation.replaceAll(/\([^)]*\)/g, '')].map(removeSpaces)
  return !words.some((word) => texts.some((text) => text.includes(removeSpaces(word))))
}

const removeSpaces = (text: string) => text.replaceAll(/\s/g, '')

/** Matches a term in singular and plural, across line breaks; a verb in its plain form and in the third person. */
function toPattern(name: string): RegExp {
  const stem = name.replaceAll(' ', '\\s+').replace(/y$/, '(?:y|ie)')
  return new RegExp(`(?<![\\w-])${stem}(?:e?s)?(?![\\w-])`, 'i')
}

const code = [
  /`[^`]*`/g,
  /\]\([^)]*\)/g,
  /\{\w+\}/g,
  /\/[A-Za-z][\w/{}-]*/g,
  /\b[a-z]+(?:[._][a-z_]+)+\b/g,
  /\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b/g,
]

function removeCode(text: string): string {
  return code.reduce((rest, pattern) => rest.replace(pattern, ' '), text)
}
