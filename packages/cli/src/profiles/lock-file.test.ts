import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { claim } from './lock-file.ts'

it.each(['EPERM', 'ENOTSUP', 'EOPNOTSUPP'])(
  'takes a lock once on a drive whose hard links fail with %s',
  async (code) => {
    const folder = await mkdtemp(join(tmpdir(), 'tgw-lock-'))
    const [own, lock] = [join(folder, 'own'), join(folder, 'lock')]
    await writeFile(own, '42 7')
    const refuse = () => Promise.reject(Object.assign(new Error(code), { code, syscall: 'link' }))
    expect(await claim(own, lock, refuse)).toBe(true)
    expect(await readFile(lock, 'utf8')).toBe('42 7')
    expect(await claim(own, lock, refuse)).toBe(false)
    await rm(folder, { recursive: true })
  },
)
