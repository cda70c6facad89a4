import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { CannotWrite, writeProject } from './write-project.ts'

const folder = mkdtempSync(join(tmpdir(), 'write-connector-'))
afterAll(() => rmSync(folder, { recursive: true }))

it('writes nothing if there is no such tarball, so that the next try finds an empty directory', async () => {
  const directory = join(folder, 'project')
  for (const connectorTarball of [join(folder, 'nope.tgz'), folder]) {
    const writing = writeProject({ directory, template: 'typescript', connectorTarball })
    await expect(writing).rejects.toThrow(CannotWrite)
    await expect(writing).rejects.toThrow(`The tarball ${connectorTarball} is no file`)
    expect(existsSync(directory)).toBe(false)
  }
})
