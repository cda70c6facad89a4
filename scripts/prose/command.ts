import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { en } from '../../packages/gateway/src/contract/texts/en.ts'
import { type Complaint, findComplaints, splitPassages } from './rules.ts'

/** The checked files. A folder stands for all of its Markdown pages. */
export const files: readonly string[] = [
  'README.md',
  'ARCHITECTURE.md',
  'SECURITY.md',
  'docs/en',
  'docs/decisions',
]

const root = join(import.meta.dirname, '../..')

/** Returns the complaints about a Markdown page. */
export function findPageComplaints(markdown: string): Complaint[] {
  return splitPassages(markdown).flatMap((passage) => findComplaints(passage, { isMarkdown: true }))
}

/** Returns the complaints about the texts of the contract, as `name: complaint`. */
export function findTextComplaints(texts: object, name = ''): string[] {
  return Object.entries(texts).flatMap(([key, text]: [string, unknown]) => {
    const path = name === '' ? key : `${name}.${key}`
    if (typeof text === 'string') {
      return findComplaints({ line: 0, text }, { isMarkdown: !isPlain(path) }).map(
        ({ message }) => `${path}: ${message}`,
      )
    }
    return typeof text === 'object' && text !== null ? findTextComplaints(text, path) : []
  })
}

/** Whether a text is shown as plain text (titles and labels), where a backtick would be visible. */
function isPlain(path: string): boolean {
  return /\.title$|^site\.(?:home_|fact_|llms_)|^things\./.test(path)
}

function listPages(path: string): string[] {
  if (path.endsWith('.md')) return [join(root, path)]
  return readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .sort()
    .map((file) => join(root, path, file))
}

function checkProse(): number {
  const { sentences, things, errors, fields, settings, site } = en
  const problems = [
    ...files
      .flatMap(listPages)
      .flatMap((file) =>
        findPageComplaints(readFileSync(file, 'utf8')).map(
          ({ line, message }) => `${relative(root, file)}:${line} ${message}`,
        ),
      ),
    ...findTextComplaints({ sentences, things, errors, fields, settings, site }).map(
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

if (import.meta.main) process.exitCode = checkProse()
