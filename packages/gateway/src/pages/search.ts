import type { Language } from '../contract/language.ts'
import { wordsOf } from './docs/markdown.ts'
import { type Page, pageMarkdown } from './page.ts'
import { pageAt, pagePaths } from './site.ts'

/** What the search of one language looks through: a page's title, place, summary, keys, headings and words. */
interface Entry {
  readonly t: string
  readonly p: string
  readonly s: string
  readonly k: string
  readonly h: string
  readonly w: string
}

const mostWords = 6_000

export function searchIndex(language: Language): string {
  const pages = pagePaths().flatMap((path) => pageAt(path, language) ?? [])
  return JSON.stringify(pages.map((page) => entryOf(page, language)))
}

function entryOf(page: Page, language: Language): Entry {
  const text = pageMarkdown(page, language, (all) => all)
  const headings = text.match(/^#{2,3} .*$/gm) ?? []
  const { operation } = page
  const keys = operation
    ? `${operation.method} ${operation.path} ${page.path.slice('/reference/'.length)}`
    : page.path
  // Another page's code or path is not what this page is about: only its own stand among its keys.
  return {
    t: page.title,
    p: page.path,
    s: operation
      ? `${operation.method} ${operation.path}`
      : page.summary.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'),
    k: keys.toLowerCase(),
    h: headings.join(' ').replaceAll('#', '').toLowerCase(),
    w: uniqueWords(wordsOf(text)).slice(0, mostWords),
  }
}

/** Each word once, in small letters: the order of words is not searched. */
function uniqueWords(text: string): string {
  return [...new Set(text.toLowerCase().split(/\s+/))].join(' ')
}
