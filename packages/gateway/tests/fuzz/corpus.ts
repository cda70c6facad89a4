import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The inputs that once broke something, one file each, below the name of their target. */
const corpusFolder = join(import.meta.dirname, 'corpus')
const hashCharacters = 12

/** Reads the kept inputs of a target, by the name of their file. */
export function readCorpus(target: string): [file: string, input: unknown][] {
  const folder = join(corpusFolder, target)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .sort()
    .map((file) => [file, JSON.parse(readFileSync(join(folder, file), 'utf8'))])
}

/** Keeps an input. Returns the path of its file. */
export function keepInput(target: string, input: unknown): string {
  const text = `${JSON.stringify(input, null, 2)}\n`
  const name = createHash('sha256').update(text).digest('hex').slice(0, hashCharacters)
  mkdirSync(join(corpusFolder, target), { recursive: true })
  const path = join(corpusFolder, target, `${name}.json`)
  writeFileSync(path, text)
  return path
}

export function listCorpusTargets(): string[] {
  return existsSync(corpusFolder) ? readdirSync(corpusFolder).sort() : []
}
