import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { jsonLog } from '../kernel/log.ts'
import { Announcer, listenRetryMs } from './announcer.ts'

/** Long enough for a second chain of attempts to show itself after the first retry. */
const restMs = 200

describe('the connection for announcements, while the database accepts connections and ends them', () => {
  let server: Server
  let attempts = 0
  let announcer: Announcer

  beforeEach(async () => {
    attempts = 0
    server = createServer((socket) => {
      attempts += 1
      socket.destroy()
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const address = server.address()
    const port = address !== null && typeof address === 'object' ? address.port : 0
    const config = { host: '127.0.0.1', port, user: 'gateway', password: 'x', database: 'gateway' }
    announcer = new Announcer(config, new pg.Pool(config), jsonLog('silent'))
  })
  afterEach(async () => {
    await announcer.stop()
    server.close()
  })

  it('is tried again once after each failure, and never twice', async () => {
    announcer.listen(() => {})
    await wait(2 * listenRetryMs + restMs)
    expect(attempts).toBe(3)
  })
})
