import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DeclaredText, hashEnglish } from '../contract/texts/translation.ts'

const source = join(import.meta.dirname, '..')

/** Lists the files that translate declarations; they are beside the declarations. */
export function listTranslationFiles(language: 'zh' | 'ko'): string[] {
  return globSync(`**/*.${language}.ts`, { cwd: source }).map((path) => join(source, path))
}

/**
 * Returns the file's text with `source` of one translation set to the hash of its current English text. Undefined if
 * the file does not translate this text.
 */
export function setSourceHash(file: string, { name, english }: DeclaredText): string | undefined {
  const entry = new RegExp(`^(  '?${name.replaceAll('.', '\\.')}'?: \\{\\n\\s*source: ')[^']*'`, 'm')
  if (!entry.test(file)) return undefined
  return file.replace(entry, (_whole, before: string) => `${before}${hashEnglish(english)}'`)
}

/** Stores the hash of the current English text in a translation's file. Returns whether a translation was found. */
export function stampTranslation(language: 'zh' | 'ko', text: DeclaredText): boolean {
  for (const path of listTranslationFiles(language)) {
    const after = setSourceHash(readFileSync(path, 'utf8'), text)
    if (after === undefined) continue
    writeFileSync(path, after)
    return true
  }
  return false
}
