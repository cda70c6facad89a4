/** While the server is away, every process decides by its share, refuses nobody for that reason, and comes back. */

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jsonLog } from '../../src/kernel/log.ts'
import { call, createWorld, openTestGateway } from '../harness.ts'
import { hasServer, openCounter, startServer, type TestServer, waitUntil } from './server.ts'

const limit = 600

describe.skipIf(!hasServer)('a server that is away', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(async () => {
    server?.thaw()
    await server?.kill()
  })

  it.each(['killed and started again', 'frozen'] as const)(
    '%s under load refuses no call, and is used again by itself',
    async (trouble) => {
      const one = await openCounter({ url: server.url, installation: trouble, processes: 2 })
      await waitUntil(() => one.valkey.isConnected)
      let longest = 0
      let refused = 0
      let calls = 0
      const takeFor = async (ms: number) => {
        const end = performance.now() + ms
        while (performance.now() < end) {
          const began = performance.now()
          // Each channel stays below its share, so that a refusal can only come from the trouble.
          const purchases = await Promise.all(
            Array.from({ length: 8 }, (_, index) => one.counter.take(`c${calls + index}`, 1, limit)),
          )
          longest = Math.max(longest, performance.now() - began)
          refused += purchases.filter(({ paid }) => !paid).length
          calls += purchases.length
          await sleep(1)
        }
      }
      await takeFor(300)
      if (trouble === 'frozen') server.freeze()
      else await server.kill()
      await takeFor(1_500)
      expect(one.valkey.isConnected).toBe(false)
      expect(one.countAlone()).toBeGreaterThan(0)
      if (trouble === 'frozen') server.thaw()
      else await server.start()
      await takeFor(300)
      await waitUntil(() => one.valkey.isConnected)
      const before = one.countAlone()
      expect((await one.counter.take('after', 1, limit)).paid).toBe(true)
      expect(refused).toBe(0)
      process.stderr.write(
        `${trouble}: ${calls} calls, longest wait ${Math.round(longest)} ms, ${before} decided alone\n`,
      )
      one.valkey.close()
    },
  )

  it('leaves each process its share of the limit, less what is spent already', async () => {
    const options = { url: server.url, installation: 'share', waitMs: 20_000, processes: 3 }
    const processes = await Promise.all([1, 2, 3].map(() => openCounter(options)))
    const [first] = processes
    await first?.counter.take('c', 300, limit)
    for (const { counter } of processes) await counter.test('c', 0, limit)
    await server.kill()
    await waitUntil(() => processes.every(({ valkey }) => !valkey.isConnected))
    const granted = await Promise.all(
      processes.map(async ({ counter }) => (await counter.takeUpTo('c', limit, limit)).points),
    )
    // The first has granted 300 of its 200; the others have 200 less their part of the 300 that were spent.
    expect(granted).toEqual([0, 100, 100])
    expect((await first?.counter.take('new', 500, limit))?.paid, 'a price above the share').toBe(true)
    await server.start()
    await waitUntil(() => processes.every(({ valkey }) => valkey.isConnected))
    // The server started empty. The first to ask adds what it granted itself, and cannot know of the others' 200; once
    // they have added these too, nobody gets more.
    const more = []
    for (const { counter } of processes) more.push((await counter.takeUpTo('c', limit, limit)).points)
    expect(more).toEqual([limit - 300, 0, 0])
    for (const { valkey } of processes) valkey.close()
  })

  it('with a wrong password lets the gateway start, says so without the password, and counts alone', async () => {
    const guarded = await startServer('--requirepass', 'right-password')
    const lines: string[] = []
    const log = jsonLog('debug', { write: (line: string) => void lines.push(line) })
    const settings = { VALKEY_URL: guarded.url.replace('//', '//:a-wrong-password@') }
    const house = await openTestGateway({ isEmbedded: true, log, settings })
    const world = await createWorld(house)
    expect((await call(house, 'GET', '/api/v1/warehouses', { token: world.token })).status).toBe(200)
    const { text, json } = await call(house, 'GET', '/statusz')
    expect(json.data.shared_counts).toEqual({
      connected: false,
      reason: expect.stringContaining('WRONGPASS'),
      warning: null,
    })
    expect(lines.filter((line) => line.includes('VALKEY_URL'))).toHaveLength(1)
    expect(`${text}${lines.join()}`).not.toContain('a-wrong-password')
    await house.close()
    await guarded.kill()
  })
})
