import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { en } from '../../packages/gateway/src/contract/texts/en.ts'
import { runPlainCommand } from '../../packages/gateway/src/kernel/plain-command.ts'
import { findViolations, splitPassages, type Violation } from './rules.ts'

/** The checked files. For a folder, all of its Markdown pages are checked. */
export const files: readonly string[] = [
  'README.md',
  'ARCHITECTURE.md',
  'SECURITY.md',
  'docs/en',
  'docs/decisions',
]

const root = join(import.meta.dirname, '../..')
const usage = `Usage: npm run prose

Checks the English pages and the texts of the contract against the rules of prose.
Exit code 1: there are complaints.
`

/** Returns the violations of the prose rules in a Markdown page. */
export function findPageViolations(markdown: string): Violation[] {
  return splitPassages(markdown).flatMap((passage) => findViolations(passage, { isMarkdown: true }))
}

/** Returns the complaints about the texts of the contract, as `name: complaint`. */
export function findTextViolations(texts: object, name = ''): string[] {
  return Object.entries(texts).flatMap(([key, text]: [string, unknown]) => {
    const path = name === '' ? key : `${name}.${key}`
    if (typeof text === 'string') {
      return findViolations({ line: 0, text }, { isMarkdown: !isPlain(path) }).map(
        ({ message }) => `${path}: ${message}`,
      )
    }
    return typeof text === 'object' && text !== null ? findTextViolations(text, path) : []
  })
}

/** Whether a text is shown as plain text (titles and labels), where a backtick would be visible. */
function isPlain(path: string): boolean {
  return /\.title$|^site\.(?:home_|fact_|llms_)|^things\.|^diagrams\./.test(path)
}

function listPages(path: string): string[] {
  if (path.endsWith('.md')) return [join(root, path)]
  return readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .sort()
    .map((file) => join(root, path, file))
}

function checkProse(): number {
  const { sentences, things, errors, fields, settings, site, diagrams } = en
  const problems = [
    ...files
      .flatMap(listPages)
      .flatMap((file) =>
        findPageViolations(readFileSync(file, 'utf8')).map(
          ({ line, message }) => `${relative(root, file)}:${line} ${message}`,
        ),
      ),
    ...findTextViolations({ sentences, things, errors, fields, settings, site, diagrams }).map(
      (problem) => `texts ${problem}`,
    ),
  ]
  for (const problem of problems) process.stdout.write(`${problem}\n`)
  process.stdout.write(
    problems.length === 0
      ? 'The prose has no complaints.\n'
      : `${problems.length} complaints about the prose.\n`,
  )
  return problems.length === 0 ? 0 : 1
}

if (import.meta.main) await runPlainCommand(usage, checkProse)
