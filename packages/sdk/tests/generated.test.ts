import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const generator = fileURLToPath(new URL('../../contract-checks/sdk-types.ts', import.meta.url))

it('the generated types are those of the contract', async () => {
  const { stderr } = await promisify(execFile)(process.execPath, [generator, '--check'])
  expect(stderr).toBe('')
})
