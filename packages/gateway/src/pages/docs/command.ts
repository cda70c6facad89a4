import { readFileSync, writeFileSync } from 'node:fs'
import { isLanguage } from '../../contract/language.ts'
import { listTableTexts, stampTableTexts } from '../../contract/texts/table-texts.ts'
import { listStaleTexts } from '../../contract/texts/translation.ts'
import { docsFolder, findProblems, readSource, toFilePath } from './library.ts'
import { hashParts } from './source.ts'
import { findStructureDifferences } from './translation.ts'
import { writtenDocs } from './tree.ts'

const usage = `Usage: npm run docs -- <command>

  stamp <zh|ko> [page]   records in a translation which English title, summary and blocks it translates (its line
                         "sources:"). Run it after translating all of them; what is stamped counts as current.
  stamp-texts <zh|ko> <name>...
                         records the same for texts of contract/texts, in its file sources.json. A name is that of one
                         text or of several, such as "errors.NOT_FOUND" or "site.full_text".
  check                  lists pages, blocks and texts that are missing or out of date; exit code 1 if there are any.

A page is named by its path, such as "guides/wholesale-order". Default: every existing page.
`

function stampPages(language: 'zh' | 'ko', only: string | undefined): number {
  let wrong = 0
  const pages = only === undefined ? writtenDocs : [only]
  for (const path of pages) {
    const english = readSource(docsFolder, 'en', path)
    const translation = readSource(docsFolder, language, path)
    if (!english || !translation) {
      if (only === undefined) continue
      process.stderr.write(`docs/${english ? language : 'en'}/${path}.md is missing\n`)
      wrong += 1
      continue
    }
    const problems = findStructureDifferences(english, translation)
    for (const problem of problems) process.stderr.write(`docs/${language}/${path}.md: ${problem}\n`)
    wrong += problems.length
    if (problems.length > 0) continue
    const file = toFilePath(docsFolder, language, path)
    writeFileSync(file, setSources(readFileSync(file, 'utf8'), hashParts(english)))
    process.stdout.write(`docs/${language}/${path}.md: ${english.blocks.length} blocks stamped\n`)
  }
  return wrong > 0 ? 1 : 0
}

function stampTexts(language: 'zh' | 'ko', names: readonly string[]): number {
  let missing = 0
  for (const name of names) {
    const count = stampTableTexts(language, name)
    if (count > 0) process.stdout.write(`${name} in ${language}: ${count} texts stamped\n`)
    else {
      process.stderr.write(`There is no text "${name}".\n`)
      missing += 1
    }
  }
  return missing > 0 ? 1 : 0
}

function setSources(text: string, hashes: readonly string[]): string {
  const [, front = '', rest = ''] = /^---\r?\n([\s\S]*?)\r?\n(---\r?\n[\s\S]*)$/.exec(text) ?? []
  const kept = front.split(/\r?\n/).filter((line) => !line.startsWith('sources:'))
  return `---\n${[...kept, `sources: ${hashes.join(' ')}`].join('\n')}\n${rest}`
}

function reportProblems(): number {
  const problems = [...findProblems(docsFolder), ...listStaleTexts(listTableTexts())]
  for (const problem of problems) process.stdout.write(`${problem}\n`)
  process.stdout.write(`${problems.length} missing or out of date\n`)
  return problems.length > 0 ? 1 : 0
}

function run([command, language, ...names]: readonly string[]): number {
  if (command === 'check') return reportProblems()
  if (isLanguage(language) && language !== 'en') {
    if (command === 'stamp') return stampPages(language, names[0])
    if (command === 'stamp-texts' && names.length > 0) return stampTexts(language, names)
  }
  const isHelp = command === '--help'
  const output = isHelp ? process.stdout : process.stderr
  output.write(usage)
  return isHelp ? 0 : 64
}

process.exitCode = run(process.argv.slice(2))
