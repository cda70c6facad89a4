import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FakeGateway, openFakeGateway } from './fake-gateway.ts'
import { runInProcess } from './run-in-process.ts'

let gateway: FakeGateway
let other: FakeGateway
beforeEach(async () => {
  const answer = () => ({ data: { account: {}, channel: { channel_code: 'C-1' }, sandbox: true } })
  gateway = await openFakeGateway(answer)
  other = await openFakeGateway(answer)
})
afterEach(() => Promise.all([gateway.close(), other.close()]))

const run = (argv: readonly string[], input = '') => {
  const { HOME, TGW_KEYCHAIN } = gateway.env
  return runInProcess(argv, { env: { HOME, TGW_KEYCHAIN }, input })
}
const login = (url: string, profile: string, secret: string) =>
  run(['login', '--base-url', url, '--username', 'buyer', '--profile', profile, '--secret-stdin'], secret)
const fileOf = (name: string) => join(gateway.folder, '.config', 'tgw', name)

describe('tgw login', () => {
  it('stores no secret under a name that no profile can have', async () => {
    const { code, err } = await login(gateway.url, ':listen', 'the-password')
    expect(code).toBe(2)
    expect(err).toContain('":listen"')
    expect(existsSync(fileOf('secrets.json'))).toBe(false)
  })

  it('that is killed before it has replaced the profile leaves no secret for the former address', async () => {
    await login(gateway.url, 'shop', 'one')
    const before = readFileSync(fileOf('profiles.json'), 'utf8')
    await login(other.url, 'shop', 'two')
    writeFileSync(fileOf('profiles.json'), before)
    const { code, err } = await run(['token', '--profile', 'shop'])
    expect(code, err).toBe(3)
    expect(err).toContain('The secret of the profile "shop" is not in the file any more.')
  })

  it('keeps one secret for each profile, and reads that of an earlier version', async () => {
    await login(gateway.url, 'shop', 'one')
    await login(other.url, 'shop', 'two')
    expect(Object.values(JSON.parse(readFileSync(fileOf('secrets.json'), 'utf8')))).toEqual(['two'])
    const list = JSON.parse(readFileSync(fileOf('profiles.json'), 'utf8'))
    delete list.profiles.shop.secret_name
    writeFileSync(fileOf('profiles.json'), JSON.stringify(list))
    writeFileSync(fileOf('secrets.json'), JSON.stringify({ shop: 'two' }))
    expect(await run(['token'])).toMatchObject({ code: 0, out: 'token-of-buyer\n' })
    await run(['logout'])
    expect(JSON.parse(readFileSync(fileOf('secrets.json'), 'utf8'))).toEqual({})
  })
})

describe('a name without its secret in the environment', () => {
  it.each([
    [{ TGW_USERNAME: 'other', TGW_PASSWORD: '' }, 'TGW_USERNAME is set and TGW_PASSWORD is not.'],
    [{ TGW_CLIENT_ID: 'other' }, 'TGW_CLIENT_ID is set and TGW_CLIENT_SECRET is not.'],
  ])('is refused, and never replaced by the current profile: %o', async (half, problem) => {
    await login(gateway.url, 'shop', 'one')
    const { HOME, TGW_KEYCHAIN } = gateway.env
    const start = (...argv: string[]) => runInProcess(argv, { env: { HOME, TGW_KEYCHAIN, ...half } })
    expect(await start('token')).toMatchObject({ code: 2, out: '', err: expect.stringContaining(problem) })
    expect(await start('token', '--profile', 'shop')).toMatchObject({ code: 0, out: 'token-of-buyer\n' })
  })

  it('is not a secret alone, which signs in with a name that is asked for', async () => {
    const { HOME, TGW_KEYCHAIN } = gateway.env
    const env = { HOME, TGW_KEYCHAIN, TGW_PASSWORD: 'one' }
    const argv = ['login', '--base-url', gateway.url, '--username', 'buyer']
    expect(await runInProcess(argv, { env })).toMatchObject({ code: 0 })
    expect(await runInProcess(['token'], { env })).toMatchObject({ code: 0, out: 'token-of-buyer\n' })
  })
})

describe('the variable that tgw mcp config names for the token of an agent', () => {
  it.each(['json', 'cursor'])('is none that tgw itself obeys: %s', async (client) => {
    const { out, err } = await runInProcess(['mcp', 'config', client], { env: gateway.env })
    expect(out).toContain('TRADE_GATEWAY_TOKEN}')
    expect(err).toContain('export TRADE_GATEWAY_TOKEN=$(tgw token)')
    const env = { ...gateway.env, TRADE_GATEWAY_TOKEN: 'an-old-token' }
    expect(await runInProcess(['token'], { env })).toMatchObject({ out: 'token-of-buyer\n' })
  })
})

describe('credentials in the environment', () => {
  const runWith = (argv: readonly string[], env: Readonly<Record<string, string>>) => {
    const { HOME, TGW_KEYCHAIN } = gateway.env
    return runInProcess(argv, { env: { HOME, TGW_KEYCHAIN, ...env } })
  }
  const deploy = { TGW_USERNAME: 'deploy', TGW_PASSWORD: 'secret' }

  it('are not sent to the address of the current profile', async () => {
    await login(gateway.url, 'shop', 'one')
    const { code, out, err } = await runWith(['token'], deploy)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain('The environment has credentials and no address.')
    expect(await runWith(['token'], { ...deploy, TGW_PROFILE: 'shop' })).toMatchObject({
      code: 0,
      out: 'token-of-deploy\n',
    })
  })

  it('come after a profile that the command line names, also where TGW_PROFILE names it, too', async () => {
    await login(gateway.url, 'shop', 'one')
    const env = { ...deploy, TGW_BASE_URL: gateway.url, TGW_PROFILE: 'shop' }
    expect(await runWith(['token', '--profile', 'shop'], env)).toMatchObject({
      code: 0,
      out: 'token-of-buyer\n',
    })
  })
})
