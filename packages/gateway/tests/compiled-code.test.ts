/** A start loads the compiled code that an earlier one has left beside the packages. */

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const mainFile = join(import.meta.dirname, '../src/main.ts')
const maxBuffer = 16 * 1024 * 1024

async function startForHelp(env: Readonly<Record<string, string>>): Promise<string> {
  const options = { env: { ...process.env, ...env }, maxBuffer }
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [mainFile, '--help'], options)
  expect(stdout).toContain('Usage: npm start')
  return stderr
}

it('is used by the second start, and is not needed by any', async () => {
  await startForHelp({})
  const told = await startForHelp({ NODE_DEBUG_NATIVE: 'COMPILE_CACHE' })
  expect(told).toMatch(/code cache for ESM \S+\/src\/program\.ts was accepted/)
  expect(await startForHelp({ NODE_DISABLE_COMPILE_CACHE: '1' })).toBe('')
}, 60_000)
