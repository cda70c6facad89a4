import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runInProcess } from './run-in-process.ts'

/** A gateway that refuses every sign-in. */
const server = createServer((request, response) => {
  response.setHeader('content-type', 'application/json').setHeader('date', new Date().toUTCString())
  if (request.method === 'GET') return response.end(JSON.stringify({ data: {} }))
  const error = { code: 'AUTH_BAD_CREDENTIALS', message: 'Refused.', request_id: 'req_1', retryable: false }
  response.writeHead(401).end(JSON.stringify({ error }))
})
let url: string
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())

const home = { HOME: '/nowhere', TGW_KEYCHAIN: 'off' }

describe('tgw doctor', () => {
  it.each([
    [{ TGW_USERNAME: 'u', TGW_PASSWORD: 'wrong' }, 'export TGW_PASSWORD=…'],
    [{ TGW_CLIENT_ID: 'c', TGW_CLIENT_SECRET: 'wrong' }, 'export TGW_CLIENT_SECRET=…'],
  ])('names the variable of the refused secret: %o', async (credentials, fix) => {
    const { out } = await runInProcess(['doctor', '--json'], {
      env: { ...home, ...credentials, TGW_BASE_URL: url },
    })
    const last = out.trim().split('\n').at(-1) ?? ''
    expect(JSON.parse(last)).toMatchObject({ check: 'sign-in', grade: 'failure', fix })
  })

  it('names a path that every gateway has if the gateway cannot be reached', async () => {
    const { out } = await runInProcess(['doctor', '--json'], {
      env: { ...home, TGW_TOKEN: 'a-token', TGW_BASE_URL: 'http://127.0.0.1:9' },
    })
    expect(out).toContain('"fix":"curl -v http://127.0.0.1:9/livez"')
  })
})

it.each(['constructor', '__proto__', 'toString'])('tgw %s is a command that does not exist', async (word) => {
  const { code, err } = await runInProcess([word], { env: home })
  expect(code).toBe(2)
  expect(err).toContain(`There is no command "${word}".`)
})
