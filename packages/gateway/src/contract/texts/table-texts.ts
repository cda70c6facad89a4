import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { texts } from './texts.ts'
import { type DeclaredText, hashEnglish } from './translation.ts'

/**
 * The texts of `contract/texts` stand in one table a language, apart from the English text that they translate. So the
 * hash of the English text that each translation was made from is in a file of its own, `sources.json`.
 */
export type TableSources = Readonly<Record<'zh' | 'ko', Readonly<Record<string, string>>>>

const file = join(import.meta.dirname, 'sources.json')

/** Reads the hashes of the English texts that the current translations were made from. */
export function readTableSources(): TableSources {
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** Lists every text of the tables in the form of the declared texts, so that both are checked by the same functions. */
export function listTableTexts(sources: TableSources = readTableSources()): DeclaredText<string>[] {
  const findSource = (language: 'zh' | 'ko', name: string) => {
    const source = sources[language][name]
    return source === undefined ? undefined : { source }
  }
  return [...flattenTexts(texts.en)].map(([name, english]) => ({
    name,
    english,
    zh: findSource('zh', name),
    ko: findSource('ko', name),
  }))
}

/**
 * Records that the translations of a text, or of every text below a name such as `errors.NOT_FOUND`, were made from the
 * current English. Returns how many texts have the name.
 */
export function stampTableTexts(language: 'zh' | 'ko', name: string): number {
  const sources = readTableSources()
  const named = listTableTexts(sources).filter(
    (text) => text.name === name || text.name.startsWith(`${name}.`),
  )
  if (named.length > 0) writeFileSync(file, serialize(setTableSources(sources, language, named)))
  return named.length
}

/** Returns the hashes with those of some texts updated, and without those of texts that no longer exist. */
export function setTableSources(
  sources: TableSources,
  language: 'zh' | 'ko',
  named: readonly DeclaredText<string>[],
): TableSources {
  const stamped = new Map(named.map(({ name, english }) => [name, hashEnglish(english)]))
  const rows = [...flattenTexts(texts.en).keys()].flatMap((name) => {
    const hash = stamped.get(name) ?? sources[language][name]
    return hash === undefined ? [] : [[name, hash]]
  })
  return { ...sources, [language]: Object.fromEntries(rows) }
}

const serialize = (sources: TableSources) => `${JSON.stringify(sources, null, 2)}\n`

/** Maps every string of a tree of texts by its name, such as `errors.NOT_FOUND.hint`. */
export function flattenTexts(tree: object): Map<string, string> {
  const all = new Map<string, string>()
  const add = (name: string, value: unknown) => {
    if (typeof value === 'string') all.set(name, value)
    else for (const [key, inner] of Object.entries(Object(value))) add(name ? `${name}.${key}` : key, inner)
  }
  add('', tree)
  return all
}
