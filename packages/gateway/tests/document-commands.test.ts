/** The commands that write and check documents: what they print about themselves, and their exit codes. */

import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../../..')

function runCommand(file: string, args: readonly string[]) {
  const options = { cwd: root, encoding: 'utf8', timeout: 60_000 } as const
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join('packages/gateway/src', file), ...args],
    options,
  )
  return { status, stdout, stderr }
}

it.each([
  ['contract', 'projections/write-openapi.ts'],
  ['docs', 'pages/docs/command.ts'],
  ['translations', 'translations/command.ts'],
])('npm run %s explains itself, ends with 64 for wrong usage, and writes nothing then', (name, file) => {
  const readTime = () => statSync(join(root, 'contract/openapi.json')).mtimeMs
  const before = readTime()
  const usage = expect.stringMatching(new RegExp(`^Usage: npm run ${name}\\b`))
  expect(runCommand(file, ['--help'])).toEqual({ status: 0, stdout: usage, stderr: '' })
  expect(runCommand(file, ['mend'])).toEqual({ status: 64, stdout: '', stderr: usage })
  expect(readTime()).toBe(before)
})
