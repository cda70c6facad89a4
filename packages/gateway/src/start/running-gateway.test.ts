import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readConfig } from '../config.ts'
import { askAsOperator } from './running-gateway.ts'

const adminToken = 'an-admin-token-for-tests-only-0123456789'
/** How long `fetch` waits by itself in this test, give or take half a second. Otherwise it is five minutes. */
const usualMs = 500
const responseMs = 2_500
const timeoutMs = 30_000

describe('a request to the running gateway', () => {
  const usual = getGlobalDispatcher()
  const lowered = new Agent({ headersTimeout: usualMs, bodyTimeout: usualMs })
  beforeEach(() => setGlobalDispatcher(lowered))
  afterEach(async () => {
    setGlobalDispatcher(usual)
    await lowered.close()
  })

  it('waits for as long as it says, also where fetch by itself gives up', {
    timeout: timeoutMs,
  }, async () => {
    const server = createServer((_request, response) => {
      setTimeout(() => response.writeHead(201).write('{"data":'), responseMs)
      setTimeout(() => response.end('"copied"}'), 2 * responseMs)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const url = `http://127.0.0.1:${port}`
    const config = readConfig({
      SECRETS_KEY: 'a-secrets-key-for-tests-only-0123456789ab',
      ADMIN_TOKEN: adminToken,
    })
    const ask = (ms: number) =>
      askAsOperator(config, url, { path: '/', body: {}, actor: 'test', timeoutMs: ms })
    try {
      await expect(fetch(url)).rejects.toThrow('fetch failed')
      expect(await ask(timeoutMs)).toEqual({ data: 'copied' })
      await expect(ask(usualMs)).rejects.toThrow()
    } finally {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  })
})
