/**
 * The search of the documentation: over sections, in memory, one index a language. Han and Hangul are indexed as pairs
 * of neighbouring characters, because spaces do not separate their words. A word that the index does not have is
 * looked up with a typo; if no section has all the words, sections with some of them are found.
 *
 * The first search in a language builds its index, page by page, so that other requests go on in between.
 */

import { setImmediate } from 'node:timers/promises'
import MiniSearch, { type SearchOptions } from 'minisearch'
import type { Language } from '../../contract/language.ts'
import { findPage, listPagePaths } from '../site.ts'
import { listSections, type Section } from './sections.ts'

/** What a search finds: a section with its address, its page and the start of its text. */
export interface Finding {
  readonly href: string
  readonly title: string
  readonly heading: string
  readonly excerpt: string
}

type Index = MiniSearch<Section>

/** The largest number of characters of a query; further ones are ignored. */
export const maxQueryLength = 100
const maxTerms = 12
const maxFindings = 12
/** The largest number of sections of one page among the findings, so that other pages are seen too. */
const maxOfPage = 3
const maxSuggestions = 3
const maxExcerptLength = 140

const indexes = new Map<Language, Promise<Index>>()

/** Finds the sections that a query in a language is about, best first. */
export async function findSections(query: string, language: Language): Promise<Finding[]> {
  const index = await openIndex(language)
  const asked = query.slice(0, maxQueryLength)
  // A pair over the border of two Han words is in few texts, so all pairs together would find too little.
  const strict = isPaired(asked) ? [] : index.search(asked, { ...matching, combineWith: 'AND' })
  const found = strict.length > 0 ? strict : index.search(asked, matching)
  const shown = new Map<string, number>()
  const findings: Finding[] = []
  for (const { href, path, title, heading, excerpt } of found) {
    const before = shown.get(path) ?? 0
    if (before === maxOfPage) continue
    shown.set(path, before + 1)
    findings.push({ href, title, heading, excerpt })
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
  const index: Index = new MiniSearch<Section>({
    idField: 'href',
    fields: ['heading', 'title', 'keys', 'text'],
    storeFields: ['href', 'path', 'title', 'heading', 'excerpt'],
    extractField: (section, field) => (field === 'excerpt' ? toExcerpt(section) : section[toField(field)]),
    tokenize: splitTerms,
    processTerm: (term) => term,
  })
  for (const path of listPagePaths()) {
    const page = findPage(path, language)
    if (page) index.addAll(listSections(page))
    await setImmediate()
  }
  return index
}

const fieldNames = ['href', 'path', 'title', 'heading', 'text', 'keys'] as const

function toField(name: string): keyof Section {
  return fieldNames.find((each) => each === name) ?? 'text'
}

function toExcerpt({ text }: Section): string {
  return text.length > maxExcerptLength ? `${text.slice(0, maxExcerptLength)}…` : text
}

/** Words shorter than this have no typo: too many other words are one letter away. */
const minTypoLength = 4
/** Words from this length on may have two wrong letters, which is what two swapped letters are. */
const minSwapLength = 6

const matching: SearchOptions = {
  boost: { title: 5, heading: 6, keys: 8 },
  // What is being typed is the start of a word. A single Han or Hangul character is the start of a pair.
  prefix: (term, index, terms) => index === terms.length - 1 && (term.length > 1 || isPaired(term)),
  fuzzy: (term) => {
    if (isPaired(term) || term.length < minTypoLength || /\d/.test(term)) return false
    return term.length < minSwapLength ? 1 : 2
  },
  weights: { prefix: 0.5, fuzzy: 0.2 },
  boostDocument: (href) => rankAddress(String(href)),
  // What is typed is a whole identifier, or its start.
  tokenize: (query) => splitRuns(query).slice(0, maxTerms),
}

/**
 * Ranks an address. The start of a page is what its title promises, guides explain what the reference lists, and readers
 * are channels more often than operators. Lists that mention every topic, such as the glossary, count less. The home page mentions every topic briefly.
 */
function rankAddress(href: string): number {
  if (href === '/') return 0.2
  const ofStart = href.includes('#') ? 1 : 1.7
  if (/^\/reference\/(?:admin|sandbox)\./.test(href)) return ofStart * 0.4
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
