import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Rpc } from './rpc.ts'
import { createTestEnvironment, serveLocally } from './testing/local-tryton.ts'

/** A Tryton that refuses every login, and counts them. */
async function openRefusing() {
  const clock = { at: 0 }
  let logins = 0
  const url = await serveLocally((request, response) => {
    request.resume().on('end', () => {
      logins += 1
      response.writeHead(401, { 'content-type': 'text/html' })
      response.end('<!doctype html><title>401 Unauthorized</title>')
    })
  })
  const account = { database: 'db', user: 'gateway', password: 'x' }
  const rpc = new Rpc({ url, ...account, environment: createTestEnvironment(clock) })
  const call = () => rpc.call('model.party.party.search', [[]], z.unknown())
  return { clock, call, countLogins: () => logins }
}

describe('A refused login', () => {
  it('is not sent again for ten seconds, because Tryton locks a user out who tries too often', async () => {
    const { clock, call, countLogins } = await openRefusing()
    for (let tries = 0; tries < 5; tries++)
      await expect(call()).rejects.toThrow('the password of gateway is wrong')
    clock.at += 9_999
    await expect(call()).rejects.toThrow('the password of gateway is wrong')
    expect(countLogins()).toBe(1)
    clock.at += 1
    await expect(call()).rejects.toThrow('the password of gateway is wrong')
    expect(countLogins()).toBe(2)
  })
})

describe('A call whose session is opened first', () => {
  it('is not begun after its time: a late write would take effect when nobody expects it', async () => {
    const clock = { at: 0 }
    const methods: string[] = []
    const url = await serveLocally((request, response) => {
      let body = ''
      request.on('data', (part) => {
        body += part
      })
      request.on('end', () => {
        const { method }: { method: string } = JSON.parse(body)
        methods.push(method)
        if (method === 'common.db.login') clock.at += loginMs
        response.end(JSON.stringify({ result: method === 'common.db.login' ? [1, 'key'] : [] }))
      })
    })
    let loginMs = 10_000
    const account = { database: 'db', user: 'gateway', password: 'x' }
    const openRpc = () => new Rpc({ url, ...account, environment: createTestEnvironment(clock) })
    const create = 'model.sale.sale.create'
    await openRpc().call(create, [[]], z.unknown())
    expect(methods).toEqual(['common.db.login', create])
    loginMs = 15_000
    await expect(openRpc().call(create, [[]], z.unknown())).rejects.toMatchObject({
      kind: 'unknown',
      message: expect.stringContaining('signing in took all of its 15000 ms'),
    })
    expect(methods).toEqual(['common.db.login', create, 'common.db.login'])
  })
})
