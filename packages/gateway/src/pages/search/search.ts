/**
 * The search of the documentation: over sections, in memory, one index a language. Han and Hangul are indexed as pairs
 * of neighbouring characters, because spaces do not separate their words. A word that the index does not have is
 * looked up with a typo; if no section has all the words, sections with some of them are found.
 *
 * The first search in a language builds its index, page by page, so that other requests go on in between.
 */

import { setImmediate } from 'node:timers/promises'
import type { Language } from '../../contract/language.ts'
import { findPage, listPagePaths } from '../site.ts'
import { InvertedIndex, type QueryTerm } from './inverted-index.ts'
import { listSections, type Section } from './sections.ts'

/** What a search finds: a section with its address, its page and the start of its text. */
export interface Finding {
  readonly href: string
  readonly title: string
  readonly heading: string
  readonly excerpt: string
}

/** The sections of a language, and the index over them by the same numbers. */
interface Index {
  readonly sections: readonly Section[]
  readonly words: InvertedIndex
}

/** The largest number of characters of a query; further ones are ignored. */
export const maxQueryLength = 100
const maxTerms = 8
const maxFindings = 12
/** The largest number of sections of one page among the findings, so that other pages are seen too. */
const maxOfPage = 3
const maxSuggestions = 3
const maxExcerptLength = 140

const indexes = new Map<Language, Promise<Index>>()

/** Finds the sections that a query in a language is about, best first. */
export async function findSections(query: string, language: Language): Promise<Finding[]> {
  const { sections, words } = await openIndex(language)
  // A search takes milliseconds, and many may be asked for at once.
  await setImmediate()
  const terms = toQueryTerms(query.slice(0, maxQueryLength))
  const matches = words.search(terms)
  // A pair over the border of two Han words is in few texts, so all pairs together would find too little.
  const strict = isPaired(query) ? [] : matches.filter((match) => match.terms === terms.length)
  const found = (strict.length > 0 ? strict : matches)
    .flatMap(({ document, score, terms: had }) => {
      const section = sections[document]
      return section ? [{ section, score: score * had * rankAddress(section.href) }] : []
    })
    .sort((one, other) => other.score - one.score)
  const shown = new Map<string, number>()
  const findings: Finding[] = []
  for (const { section } of found) {
    const { href, path, title, heading } = section
    const before = shown.get(path) ?? 0
    if (before === maxOfPage) continue
    shown.set(path, before + 1)
    findings.push({ href, title, heading, excerpt: toExcerpt(section) })
    if (findings.length === maxFindings) break
  }
  return findings
}

/** Words of addresses that say nothing about a page. */
const commonWords: ReadonlySet<string> = new Set([
  'docs',
  'reference',
  'errors',
  'guides',
  'api',
  'html',
  'index',
  'zh',
  'ko',
  'en',
])

/** Finds the pages that a reader of an address without a page may have meant, nearest first. */
export async function suggestPages(address: string, language: Language): Promise<Finding[]> {
  const words = splitRuns(address).filter((word) => !commonWords.has(word))
  const found = await findSections(words.join(' '), language)
  const [, chapter = ''] = address.split('/')
  const isNear = ({ href }: Finding) => href.startsWith(`/${chapter}/`)
  const pages = new Map([...found.filter(isNear), ...found].map((finding) => [finding.href, finding]))
  return [...pages.values()].slice(0, maxSuggestions)
}

function openIndex(language: Language): Promise<Index> {
  const known = indexes.get(language) ?? buildIndex(language)
  indexes.set(language, known)
  return known
}

async function buildIndex(language: Language): Promise<Index> {
  const [sections, words] = [[] as Section[], new InvertedIndex([headingBoost, titleBoost, keyBoost, 1])]
  for (const path of listPagePaths()) {
    const page = findPage(path, language)
    for (const section of page ? listSections(page) : []) {
      const { heading, title, keys, text } = section
      sections.push({ ...section, text: text.slice(0, maxExcerptLength + 1) })
      words.add([heading, title, keys, text].map(splitTerms))
    }
    await setImmediate()
  }
  return { sections, words }
}

const headingBoost = 6
const titleBoost = 5
const keyBoost = 8

function toExcerpt({ text }: Section): string {
  return text.length > maxExcerptLength ? `${text.slice(0, maxExcerptLength)}…` : text
}

/** Words shorter than this have no typo: too many other words are one letter away. */
const minTypoLength = 4
/** Words from this length on may have two wrong letters, which is what two swapped letters are. */
const minSwapLength = 6

/** Splits a query. What is typed is a whole identifier, or the start of one. */
function toQueryTerms(query: string): QueryTerm[] {
  const runs = [...new Set(splitRuns(query).slice(0, maxTerms))]
  return runs.map((text, index) => ({
    text,
    // A single Han or Hangul character is the start of a pair.
    isPrefix: index === runs.length - 1 && (text.length > 1 || isPaired(text)),
    maxTypos: chooseMaxTypos(text),
  }))
}

function chooseMaxTypos(text: string): number {
  if (isPaired(text) || text.length < minTypoLength || /\d/.test(text)) return 0
  return text.length < minSwapLength ? 1 : 2
}

/**
 * Ranks an address. The start of a page is what its title promises, guides explain what the reference lists, and readers
 * are channels more often than operators. Lists that mention every topic, such as the glossary, count less. The home page mentions every topic briefly.
 */
function rankAddress(href: string): number {
  if (href === '/') return 0.2
  const ofStart = href.includes('#') ? 1 : 1.7
  // An agent calls `/mcp` by itself. A person who searches for it connects one, as the guide says.
  if (/^\/reference\/(?:admin\.|sandbox\.|mcp\b)/.test(href)) return ofStart * 0.4
  if (/^\/docs\/(?:runbooks|promises|glossary)/.test(href)) return ofStart * 0.7
  return href.startsWith('/docs/') ? ofStart * 1.7 : ofStart
}

const isPaired = (term: string) => /[\p{sc=Han}\p{sc=Hangul}]/u.test(term)

/** Splits a text into lower-case terms: those of `splitRuns`, and the parts of identifiers beside the whole. */
function splitTerms(text: string): string[] {
  return splitRuns(text).flatMap((run) =>
    run.includes('_') ? [run, ...run.split('_').filter((part) => part !== '')] : [run],
  )
}

/** Splits a text into lower-case words, and into pairs of neighbouring characters of Han and Hangul. */
function splitRuns(text: string): string[] {
  const runs = text.toLowerCase().match(/[\p{sc=Han}]+|[\p{sc=Hangul}]+|[\p{L}\p{N}_]+/gu) ?? []
  return runs.flatMap((run) => (isPaired(run) && run.length > 2 ? listPairs(run) : [run]))
}

function listPairs(run: string): string[] {
  return Array.from({ length: run.length - 1 }, (_, at) => run.slice(at, at + 2))
}
