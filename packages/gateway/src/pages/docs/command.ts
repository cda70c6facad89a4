import { readFileSync, writeFileSync } from 'node:fs'
import { isLanguage } from '../../contract/language.ts'
import { docsFolder, fileOf, problemsOf, readSource } from './library.ts'
import { hashOf } from './source.ts'
import { misfits } from './translation.ts'
import { writtenDocs } from './tree.ts'

const usage = `Usage: npm run docs -- <command>

  stamp <zh|ko> [page]   says in a translation which English blocks it is of: writes its line "sources:".
                         Do it after every block was translated; a block that is stamped counts as up to date.
  check                  lists pages and blocks that are missing or out of date; exit code 1 where there are any.

A page is named by its path, as in "guides/wholesale-order"; without one: every page that is there.
`

function stamp(language: 'zh' | 'ko', only: string | undefined): number {
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
    const problems = misfits(english, translation)
    for (const problem of problems) process.stderr.write(`docs/${language}/${path}.md: ${problem}\n`)
    wrong += problems.length
    if (problems.length > 0) continue
    const file = fileOf(docsFolder, language, path)
    writeFileSync(file, withSources(readFileSync(file, 'utf8'), english.blocks.map(hashOf)))
    process.stdout.write(`docs/${language}/${path}.md: ${english.blocks.length} blocks stamped\n`)
  }
  return wrong > 0 ? 1 : 0
}

function withSources(text: string, hashes: readonly string[]): string {
  const [, front = '', rest = ''] = /^---\r?\n([\s\S]*?)\r?\n(---\r?\n[\s\S]*)$/.exec(text) ?? []
  const kept = front.split(/\r?\n/).filter((line) => !line.startsWith('sources:'))
  return `---\n${[...kept, `sources: ${hashes.join(' ')}`].join('\n')}\n${rest}`
}

function check(): number {
  const problems = problemsOf(docsFolder)
  for (const problem of problems) process.stdout.write(`${problem}\n`)
  process.stdout.write(`${problems.length} missing or out of date\n`)
  return problems.length > 0 ? 1 : 0
}

function run([command, language, page]: readonly string[]): number {
  if (command === 'check') return check()
  if (command === 'stamp' && isLanguage(language) && language !== 'en') return stamp(language, page)
  process.stderr.write(usage)
  return 64
}

process.exitCode = run(process.argv.slice(2))
