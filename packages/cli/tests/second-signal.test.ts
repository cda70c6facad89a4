/** What a second signal does while a write is under way: the key of the write is printed in any case. */

import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runInProcess } from './run-in-process.ts'
import { Home } from './run-tgw.ts'

let env: Readonly<Record<string, string>>
let home: Home
let submitted: PromiseWithResolvers<ServerResponse>
const server = createServer((_request, response) => submitted.resolve(response))
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  env = { TGW_BASE_URL: `http://127.0.0.1:${port}`, TGW_TOKEN: 'a-token' }
  home = new Home(env)
})
afterAll(() => {
  home.remove()
  server.closeAllConnections()
  server.close()
})

const args = ['order', 'submit', 'ord_1', '--yes', '--idempotency-key', 'key-of-ord-1']

it('prints the key if one press is two signals while a submit hangs', async () => {
  submitted = Promise.withResolvers()
  const ended = await runInProcess(args, { env, interruption: submitted.promise, signals: 2 })
  expect(ended).toMatchObject({
    code: 130,
    err: expect.stringContaining('--idempotency-key key-of-ord-1'),
  })
})

it('prints the key at a later second signal while nobody reads the output', async () => {
  submitted = Promise.withResolvers()
  const child = home.start(args)
  const response = await submitted.promise
  const err: Buffer[] = []
  child.stderr?.on('data', (more: Buffer) => err.push(more))
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ data: { order_id: 'ord_1', remark: 'x'.repeat(1_000_000) } }))
  await once(child.stdout ?? child, 'readable')
  child.kill('SIGINT')
  await wait(700)
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  child.stdout?.destroy()
  await once(child, 'close')
  // A slow machine delivers the second signal after the command has ended in order.
  expect(code).toBeOneOf([130, 143])
  expect(Buffer.concat(err).toString()).toContain('--idempotency-key key-of-ord-1')
}, 30_000)
