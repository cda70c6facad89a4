/** The commands that write and check files of the project: what they print about themselves, and their exit codes. */

import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../../..')
/** Files that these commands write. */
const written = [
  'contract/openapi.json',
  'THIRD-PARTY-NOTICES.md',
  'packages/gateway/src/projections/examples.json',
  'packages/gateway/src/projections/error-examples.json',
]

function runCommand(file: string, args: readonly string[]) {
  const options = { cwd: root, encoding: 'utf8', timeout: 60_000 } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args], options)
  return { status, stdout, stderr }
}

it.each([
  ['contract', 'packages/gateway/src/projections/write-openapi.ts'],
  ['docs', 'packages/gateway/src/pages/docs/command.ts'],
  ['translations', 'packages/gateway/src/translations/command.ts'],
  ['examples', 'packages/gateway/tests/examples/command.ts'],
  ['mcp-conformance', 'packages/gateway/tests/mcp-conformance/command.ts'],
  ['prose', 'scripts/prose/command.ts'],
  ['notices', 'scripts/notices.ts'],
  ['sbom', 'scripts/sbom.ts'],
  ['kubernetes', 'scripts/deploy/kubernetes.ts'],
  ['ops', 'scripts/ops/command.ts'],
])('npm run %s explains itself, ends with 64 for wrong usage, and does nothing then', (name, file) => {
  const usage = expect.stringMatching(new RegExp(`^Usage: npm run ${name}\\b`))
  expect(runCommand(file, ['--help'])).toEqual({ status: 0, stdout: usage, stderr: '' })
  const readTimes = () => written.map((each) => statSync(join(root, each)).mtimeMs)
  const before = readTimes()
  expect(runCommand(file, ['mend'])).toEqual({ status: 64, stdout: '', stderr: usage })
  expect(readTimes()).toEqual(before)
})
