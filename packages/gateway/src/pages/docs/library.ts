import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Language, languages } from '../../contract/language.ts'
import { MalformedPage, type Source, sourceFrom } from './source.ts'
import { misfits, staleBlocks } from './translation.ts'
import { writtenDocs } from './tree.ts'

/** The pages on disk. */
export const docsFolder = join(import.meta.dirname, '../../../../../docs')

/** A page's source in a language; undefined where nobody has written it. Throws `MalformedPage`, naming the file. */
export function readSource(folder: string, language: Language, path: string): Source | undefined {
  const file = fileOf(folder, language, path)
  if (!existsSync(file)) return undefined
  try {
    return sourceFrom(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof MalformedPage)
      throw new MalformedPage(`docs/${language}/${path}.md: ${error.message}`)
    throw error
  }
}

export function fileOf(folder: string, language: Language, path: string): string {
  return join(folder, language, `${path}.md`)
}

/** What is missing or out of date, each a line: English pages of the tree, translations, blocks. */
export function problemsOf(folder: string, paths: readonly string[] = writtenDocs): string[] {
  return paths.flatMap((path) => {
    const english = readSource(folder, 'en', path)
    if (!english) return [`docs/en/${path}.md is missing`]
    return languages
      .filter((language) => language !== 'en')
      .flatMap((language) => {
        const file = `docs/${language}/${path}.md`
        const translation = readSource(folder, language, path)
        if (!translation) return [`${file} is missing`]
        const wrong = misfits(english, translation).map((misfit) => `${file}: ${misfit}`)
        if (translation.sources.length === 0)
          return [...wrong, `${file} has no sources: line (npm run docs -- stamp ${language} ${path})`]
        const stale = staleBlocks(english, translation).map(
          (block) => `${file}: out of date: ${JSON.stringify(block.slice(0, 70))}`,
        )
        return [...wrong, ...stale]
      })
  })
}
