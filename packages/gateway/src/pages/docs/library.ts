import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Language, languages } from '../../contract/language.ts'
import { MalformedPage, parseSource, type Source } from './source.ts'
import { findStructureDifferences, listStaleBlocks } from './translation.ts'
import { writtenDocs } from './tree.ts'

/** The folder of the documentation pages. */
export const docsFolder = join(import.meta.dirname, '../../../../../docs')

/**
 * Reads a page's source in a language; undefined if the file does not exist. Throws `MalformedPage` with the file's
 * name.
 */
export function readSource(folder: string, language: Language, path: string): Source | undefined {
  const file = toFilePath(folder, language, path)
  if (!existsSync(file)) return undefined
  try {
    return parseSource(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof MalformedPage)
      throw new MalformedPage(`docs/${language}/${path}.md: ${error.message}`)
    throw error
  }
}

export function toFilePath(folder: string, language: Language, path: string): string {
  return join(folder, language, `${path}.md`)
}

/** Lists missing and stale pages, translations and blocks, one line each. */
export function findProblems(folder: string, paths: readonly string[] = writtenDocs): string[] {
  return paths.flatMap((path) => {
    const english = readSource(folder, 'en', path)
    if (!english) return [`docs/en/${path}.md is missing`]
    return languages
      .filter((language) => language !== 'en')
      .flatMap((language) => {
        const file = `docs/${language}/${path}.md`
        const translation = readSource(folder, language, path)
        if (!translation) return [`${file} is missing`]
        const wrong = findStructureDifferences(english, translation).map((misfit) => `${file}: ${misfit}`)
        if (translation.sources.length === 0)
          return [...wrong, `${file} has no sources: line (npm run docs -- stamp ${language} ${path})`]
        const stale = listStaleBlocks(english, translation).map(
          (block) => `${file}: out of date: ${JSON.stringify(block.slice(0, 70))}`,
        )
        return [...wrong, ...stale]
      })
  })
}
