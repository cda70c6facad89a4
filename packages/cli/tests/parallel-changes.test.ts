/** Commands that change the files of the profiles at the same moment, as the jobs of one script do. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { saveProfile } from '../src/profiles/profiles.ts'
import { storeSecret } from '../src/profiles/secrets.ts'
import { waitForEnd } from './run-tgw.ts'

const count = 8
const source = new URL('../src/', import.meta.url).href
/** Loads everything, and begins when it is told to, so that the changes of all processes meet. */
const script = `
import { once } from 'node:events'
const { storeSecret } = await import('${source}profiles/secrets.ts')
const { saveProfile } = await import('${source}profiles/profiles.ts')
const { provideSecret } = await import('${source}commands/listen.ts')
const [folder, name] = process.argv.slice(1)
const setting = { paths: { config: folder, state: folder }, env: { TGW_KEYCHAIN: 'off' } }
process.stdout.write('ready\\n')
await once(process.stdin, 'data')
await storeSecret(setting, name, 'secret of ' + name)
await saveProfile(setting.paths, name, { base_url: 'http://gateway', kind: 'account' })
process.stdout.write(await provideSecret(setting))
process.exit()
`
const names = Array.from({ length: count }, (_, index) => `shop-${index}`)

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tgw-parallel-'))
})
afterEach(() => rm(folder, { recursive: true }))

const readJson = async (name: string) => JSON.parse(await readFile(join(folder, name), 'utf8'))

async function startChild(name: string): Promise<ChildProcess> {
  const args = ['--input-type=module', '--eval', script, folder, name]
  const child = spawn(process.execPath, args, { stdio: 'pipe', env: { NODE_NO_WARNINGS: '1' } })
  await once(child.stdout, 'data')
  return child
}

describe('changes at the same time', () => {
  it(`of ${count} processes are all kept, and the first start makes one signing secret`, async () => {
    const children = await Promise.all(names.map(startChild))
    const ends = children.map(waitForEnd)
    for (const child of children) child.stdin?.write('go\n')
    const results = await Promise.all(ends)
    expect(results.map(({ err }) => err)).toEqual(names.map(() => ''))
    const { ':listen': signing, ...secrets } = await readJson('secrets.json')
    expect(Object.keys(secrets).toSorted()).toEqual(names)
    expect(new Set(results.map(({ out }) => out))).toEqual(new Set([signing]))
    expect(Object.keys((await readJson('profiles.json')).profiles).toSorted()).toEqual(names)
    expect((await readdir(folder)).toSorted(), 'no lock is left').toEqual(['profiles.json', 'secrets.json'])
  }, 30_000)

  it('of one process are all kept', async () => {
    const setting = { paths: { config: folder, state: folder }, env: { TGW_KEYCHAIN: 'off' } }
    const profile = { base_url: 'http://gateway', kind: 'account', user: '', sandbox: true } as const
    await Promise.all(names.map((name) => storeSecret(setting, name, 'a secret')))
    await Promise.all(
      names.map((name) => saveProfile(setting.paths, name, { ...profile, secret_in: 'file' })),
    )
    expect(Object.keys(await readJson('secrets.json'))).toEqual(names)
    expect(Object.keys((await readJson('profiles.json')).profiles)).toEqual(names)
  })

  it('waits some seconds for a process that has the lock, and then says which one', async () => {
    const child = await startChild('holder')
    const start = (await readFile(`/proc/${child.pid}/stat`, 'utf8').catch(() => '')).split(' ')[21] ?? ''
    await writeFile(join(folder, 'secrets.json.lock'), `${child.pid} ${start}`)
    const setting = { paths: { config: folder, state: folder }, env: { TGW_KEYCHAIN: 'off' } }
    const storing = storeSecret(setting, 'shop', 'a secret')
    await expect(storing).rejects.toThrow(`Process ${child.pid} stores a secret already.`)
    child.kill()
    // A holder that has died does not hold anybody up.
    await once(child, 'close')
    expect(await storeSecret(setting, 'shop', 'a secret')).toBe('file')
  }, 20_000)
})
