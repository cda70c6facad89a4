import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { CannotWrite, writeProject } from './write-project.ts'

const folder = mkdtempSync(join(tmpdir(), 'write-channel-'))
afterAll(() => rmSync(folder, { recursive: true }))
const directory = join(folder, 'project')

it('writes nothing if the folder of the packages has none of them, or is none', async () => {
  mkdirSync(join(folder, 'empty'))
  for (const packages of [join(folder, 'empty'), join(folder, 'nowhere')]) {
    await expect(writeProject(directory, packages)).rejects.toThrow(CannotWrite)
    expect(existsSync(directory)).toBe(false)
  }
})

it('copies the tarballs that are there, and names the versions of the others', async () => {
  const packages = join(folder, 'packages')
  mkdirSync(packages)
  writeFileSync(join(packages, 'trade-gateway-sdk-9.9.9.tgz'), 'the package')
  await writeProject(directory, packages)
  const manifest = readFileSync(join(directory, 'package.json'), 'utf8')
  expect(manifest).toContain('file:vendor/trade-gateway-sdk-9.9.9.tgz')
  expect(manifest).not.toContain('{{')
  expect(readFileSync(join(directory, 'vendor/trade-gateway-sdk-9.9.9.tgz'), 'utf8')).toBe('the package')
})
