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
