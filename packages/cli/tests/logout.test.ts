import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FakeGateway, openFakeGateway } from './fake-gateway.ts'
import { runInProcess } from './run-in-process.ts'

let gateway: FakeGateway
let revoked: (string | undefined)[]
beforeEach(async () => {
  revoked = []
  gateway = await openFakeGateway(({ path, token }) => {
    if (path.endsWith('/auth/revoke')) revoked.push(token)
    return { data: { account: {}, channel: { channel_code: 'C-1' }, sandbox: true } }
  })
})
afterEach(() => gateway.close())

describe('the token of a profile', () => {
  it.each([
    ['logout', [], {}],
    ['logout at another gateway', [], { TGW_BASE_URL: 'http://127.0.0.1:9' }],
    ['profiles remove', ['one'], {}],
  ])('is revoked by tgw %s, and not that of the environment', async (name, args, more) => {
    const env = { ...gateway.env, TGW_PROFILE: 'one' }
    const login = ['login', '--username', 'profile-user']
    expect(await runInProcess(login, { env: { ...env, TGW_PASSWORD: 'own' } })).toMatchObject({ code: 0 })
    const words = name.replace(' at another gateway', '').split(' ')
    const { code, err } = await runInProcess([...words, ...args], { env: { ...env, ...more } })
    expect(code, err).toBe(0)
    expect(err).not.toContain('was not revoked')
    expect(revoked).toEqual(['token-of-profile-user'])
  })
})

/** A `secret-tool` that keeps each secret in a file of its folder, named as the secret. */
function installKeychain(): string {
  const folder = join(gateway.folder, 'keychain')
  mkdirSync(join(folder, 'secrets'), { recursive: true })
  const script = `#!/bin/sh
command=$1
for name; do :; done
file="${folder}/secrets/$name"
case $command in
  store) exec /bin/cat > "$file" ;;
  lookup) exec /bin/cat "$file" ;;
  clear) exec /bin/rm "$file" ;;
esac
`
  writeFileSync(join(folder, 'secret-tool'), script)
  chmodSync(join(folder, 'secret-tool'), 0o755)
  return folder
}

describe.runIf(process.platform === 'linux')('the secret of a profile in the keychain', () => {
  const login = ['login', '--username', 'profile-user', '--profile', 'one']
  let PATH: string
  beforeEach(async () => {
    PATH = installKeychain()
    const env = { ...gateway.env, PATH, TGW_KEYCHAIN: 'on', TGW_PASSWORD: 'own' }
    expect(await runInProcess(login, { env })).toMatchObject({ code: 0 })
    expect(readdirSync(join(PATH, 'secrets'))).toHaveLength(1)
  })

  it.each([
    ['logout', ['logout', '--profile', 'one']],
    ['a login that stores it in the file', login],
  ])('is deleted with TGW_KEYCHAIN=off, too, by tgw %s', async (_, argv) => {
    const { code, err } = await runInProcess(argv, { env: { ...gateway.env, PATH } })
    expect(code, err).toBe(0)
    expect(err).not.toContain('keychain')
    expect(readdirSync(join(PATH, 'secrets'))).toEqual([])
  })

  it('that the keychain does not delete is named', async () => {
    const env = { ...gateway.env, PATH: join(PATH, 'nothing') }
    const { code, err } = await runInProcess(['logout', '--profile', 'one'], { env })
    expect(code, err).toBe(0)
    expect(err).toContain('was not deleted from the keychain')
    expect(err).toContain('name "one:')
  })
})
