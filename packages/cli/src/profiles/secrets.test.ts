import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { deleteSecret, readSecret, storeSecret } from './secrets.ts'

it('keeps a secret in the file if there is no keychain, and leaves no timer that would keep the process alive', async () => {
  const home = await mkdtemp(join(tmpdir(), 'tgw-secrets-'))
  const paths = { config: home } as Parameters<typeof storeSecret>[0]['paths']
  const setting = { paths, env: { PATH: home }, platform: 'linux' as const }
  const countTimers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
  try {
    const before = countTimers()
    expect(await storeSecret(setting, 'shop', 'a-secret')).toBe('file')
    expect(await readSecret(setting, 'shop', 'file')).toBe('a-secret')
    await deleteSecret(setting, 'shop', 'file')
    expect(await readSecret(setting, 'shop', 'file')).toBeUndefined()
    expect(countTimers()).toBeLessThanOrEqual(before)
  } finally {
    await rm(home, { recursive: true })
  }
})
