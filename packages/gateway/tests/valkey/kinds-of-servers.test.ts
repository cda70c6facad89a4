/** The servers that operators have: behind TLS with a user of few rights, and a cluster of several nodes. */

import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createClient } from '@redis/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findFreePort, findFreePorts } from '../../../trials/src/free-ports.ts'
import { startRedis } from '../../../trials/src/redis-server.ts'
import { jsonLog } from '../../src/kernel/log.ts'
import { failInbox, receiveDelivery, toInboxMessages } from '../../src/webhooks/inbox.ts'
import { openTestGateway } from '../harness.ts'
import { hasServer, openCounter, patientMs, waitUntil } from './server.ts'

const valkeyConf = new URL('../../../../deploy/valkey.conf', import.meta.url)
const spender = new URL('spender.ts', import.meta.url).pathname
const guide = new URL('../../../../docs/en/operate.md', import.meta.url)
const [limit, channels, calls] = [300, 20, 150]

/** Lets two processes spend the points of the same channels, and returns what they got together. */
async function spend(url: string, env: Record<string, string> = {}) {
  const input = [spender, url, 'kinds', ...[limit, channels, calls].map(String)]
  const start = () => promisify(execFile)(process.execPath, input, { env: { ...process.env, ...env } })
  const results = (await Promise.all([start(), start()])).map(
    ({ stdout }): { granted: number[]; alone: number } => JSON.parse(stdout),
  )
  return {
    sums: Array.from({ length: channels }, (_, at) =>
      results.reduce((sum, { granted }) => sum + (granted[at] ?? 0), 0),
    ),
    alone: results.reduce((sum, { alone }) => sum + alone, 0),
  }
}

const exactly = Array.from({ length: channels }, () => limit)

/** The rights of the user that the guide for operators prints, without its name and its password. */
function readDocumentedRights(): string[] {
  const line = readFileSync(guide, 'utf8').match(/^ACL SETUSER gateway on >\S+ (.+)$/m)?.[1]
  if (!line) throw new Error('operate.md has no line that begins with ACL SETUSER gateway.')
  return line.split(' ')
}

describe.skipIf(!hasServer)('a server with TLS and the user that the guide describes', () => {
  let folder: string
  let certificate: string
  let url: string
  let plain: string
  let end: () => Promise<void>
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'valkey-tls-'))
    certificate = join(folder, 'certificate.pem')
    const key = join(folder, 'key.pem')
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
    const name = ['-subj', '/CN=valkey', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2']
    execFileSync('openssl', ['req', '-x509', ...curve, ...name, '-keyout', key, '-out', certificate], {
      stdio: 'ignore',
    })
    const tlsPort = await findFreePort()
    const tls = ['--tls-port', String(tlsPort), '--tls-auth-clients', 'no', '--tls-cert-file', certificate]
    const user = ['--user', 'gateway', 'on', '>pass/word', ...readDocumentedRights()]
    const started = await startRedis(...tls, '--tls-key-file', key, ...user, '--user', 'default', 'off')
    url = `rediss://gateway:pass%2Fword@127.0.0.1:${tlsPort}`
    plain = started.url.replace('//', '//gateway:pass%2Fword@')
    end = () => started.process.kill()
  })
  afterAll(async () => {
    await end?.()
    rmSync(folder, { recursive: true, force: true })
  })

  it('counts exactly for processes that trust its certificate', async () => {
    expect(await spend(url, { NODE_EXTRA_CA_CERTS: certificate })).toEqual({ sums: exactly, alone: 0 })
  })

  it('counts as away for a process that does not, and the log says why', async () => {
    const lines: string[] = []
    const log = jsonLog('warn', { write: (line) => void lines.push(line) })
    const one = await openCounter({ url, installation: 'distrust', log })
    expect((await one.counter.take('channel', 1, limit)).paid).toBe(true)
    one.valkey.close()
    expect([one.countAlone(), lines.length]).toEqual([1, 1])
    expect(lines[0]).toMatch(/SELF_SIGNED_CERT|self-signed certificate/)
    expect(lines[0]).not.toContain('word')
  })

  it('keeps the sandbox’s inboxes for that user', async () => {
    const house = await openTestGateway({
      isEmbedded: true,
      valkeyWaitMs: patientMs,
      settings: { VALKEY_URL: plain },
    })
    const { gateway } = house
    const place = { channel_code: 'ch', name: 'mine' }
    await failInbox(gateway, place, { times: 1, status: 503 })
    const delivery = {
      ...{ channel_code: 'ch', event_id: 'evt_1', headers: ['webhook-id', 'evt_1'] },
      ...{ body: Buffer.from('{"event_id":"evt_1"}'), verified: true },
    }
    expect((await receiveDelivery(gateway, 'mine', delivery)).status).toBe(503)
    expect((await toInboxMessages(gateway, 'ch', 'mine')).messages).toHaveLength(1)
    expect(gateway.valkey?.reason).toBeUndefined()
    await house.close()
  })

  it('refuses that user what it does not need', async () => {
    const client = createClient({ url: plain })
    client.on('error', () => {})
    await client.connect()
    for (const command of [['FLUSHALL'], ['KEYS', '*'], ['GET', 'other'], ['CONFIG', 'GET', '*']])
      await expect(client.sendCommand(command)).rejects.toThrow(/NOPERM/)
    client.destroy()
  })
})

describe.skipIf(!hasServer)('a cluster', () => {
  const folder = mkdtempSync(join(tmpdir(), 'valkey-cluster-'))
  const nodes: Awaited<ReturnType<typeof startRedis>>[] = []
  beforeAll(async () => {
    const buses = await findFreePorts(4)
    for (const bus of buses) {
      const file = join(folder, `${bus}.conf`)
      const options = [
        '--cluster-enabled',
        'yes',
        '--cluster-config-file',
        file,
        '--cluster-port',
        String(bus),
      ]
      nodes.push(await startRedis(...options, '--cluster-node-timeout', '1000'))
    }
    const [spare, ...masters] = nodes.map(({ url }) => url).toReversed()
    await joinNodes(masters.toReversed(), spare ?? '', buses)
  }, 60_000)
  afterAll(async () => {
    for (const node of nodes) await node.process.kill()
    rmSync(folder, { recursive: true, force: true })
  })

  it('counts exactly for channels on all its nodes', async () => {
    expect(await spend(nodes[0]?.url ?? '')).toEqual({ sums: exactly, alone: 0 })
  })

  it('refuses no channel while a node is killed, and shares again when it is back', async () => {
    const one = await openCounter({
      url: nodes[0]?.url ?? '',
      installation: 'killed',
      processes: 2,
      waitMs: 2_000,
    })
    const takeFromEach = () =>
      Promise.all(Array.from({ length: channels }, (_, at) => one.counter.take(`c${at}`, 1, 10_000)))
    await takeFromEach()
    expect(one.countAlone()).toBe(0)
    await nodes[2]?.process.kill()
    for (let round = 0; round < 20; round++) {
      expect((await takeFromEach()).every(({ paid }) => paid)).toBe(true)
      await sleep(50)
    }
    expect(one.countAlone()).toBeGreaterThan(0)
    await nodes[2]?.process.start()
    let before = -1
    for (let tries = 0; tries < 200 && one.countAlone() !== before; tries++) {
      before = one.countAlone()
      await sleep(100)
      await waitUntil(() => one.valkey.isConnected)
      await takeFromEach()
    }
    expect(one.countAlone()).toBe(before)
    one.valkey.close()
  }, 60_000)

  it('knows what every process has spent on a node that restarted empty', async () => {
    const open = () =>
      openCounter({ url: nodes[0]?.url ?? '', installation: 'emptied', processes: 2, waitMs: 2_000 })
    const counters = [await open(), await open()]
    const spent = Array.from({ length: channels }, () => 0)
    const takeFromEach = async (points: number) => {
      const remaining: number[] = []
      for (const { counter } of counters)
        for (let at = 0; at < channels; at++) {
          const purchase = await counter.take(`e${at}`, points, 10_000)
          spent[at] = (spent[at] ?? 0) + purchase.points
          remaining[at] = purchase.remaining
        }
      return remaining
    }
    const countAlone = () => counters.reduce((sum, each) => sum + each.countAlone(), 0)
    await takeFromEach(100)
    expect(countAlone()).toBe(0)
    await nodes[2]?.process.kill()
    await nodes[2]?.process.start()
    let before = -1
    for (let tries = 0; tries < 200 && countAlone() !== before; tries++) {
      before = countAlone()
      await sleep(100)
      await waitUntil(() => counters.every(({ valkey }) => valkey.isConnected))
      await takeFromEach(1)
    }
    // The first question finds out that the window is another one, and the second one adds what was granted.
    await takeFromEach(1)
    const remaining = await takeFromEach(1)
    for (const [at, left] of remaining.entries())
      expect(left, `e${at}`).toBeLessThanOrEqual(10_000 - (spent[at] ?? 0))
    for (const { valkey } of counters) valkey.close()
  }, 60_000)

  it('shares again through the other nodes while the one in VALKEY_URL stays away', async () => {
    const one = await openCounter({ url: nodes[0]?.url ?? '', installation: 'seed', waitMs: 2_000 })
    expect((await one.counter.take('channel', 1, 10_000)).paid).toBe(true)
    // A count reaches the replica shortly after the response.
    await sleep(500)
    await nodes[0]?.process.kill()
    await waitUntil(() => !one.valkey.isConnected)
    await waitUntil(() => one.valkey.isConnected)
    const before = one.countAlone()
    expect(await one.counter.take('channel', 1, 10_000)).toMatchObject({ paid: true, remaining: 9_998 })
    expect(one.countAlone()).toBe(before)
    one.valkey.close()
  }, 60_000)
})

describe.skipIf(!hasServer)('a server with the configuration file of deploy', () => {
  it('drops no count when it is full, and each process decides by its share', async () => {
    const directives = readFileSync(valkeyConf, 'utf8').matchAll(/^(maxmemory-policy) (\S+)$/gm)
    const policy = [...directives].flatMap(([, name, value]) => [`--${name}`, value ?? ''])
    const { url, process: server } = await startRedis('--maxmemory', '3mb', ...policy)
    const one = await openCounter({ url, installation: 'full', waitMs: patientMs })
    expect((await one.counter.take('channel', limit, limit)).paid).toBe(true)
    const other = await createClient({ url }).connect()
    const fill = async () => {
      for (let key = 0; key < 30_000; key++) await other.set(`other:${key}`, 'x'.repeat(100), { EX: 60 })
    }
    await expect(fill()).rejects.toThrow(/OOM/)
    // A count of another process still finds the points spent, or the server refuses and the share decides.
    expect((await one.counter.take('channel', 1, limit)).paid).toBe(false)
    await other.flushAll()
    other.destroy()
    await waitUntil(() => one.valkey.isConnected)
    one.valkey.close()
    await server.kill()
  }, 60_000)
})

/**
 * Makes a cluster of empty nodes: gives each master its part of the slots, introduces all to the first, and lets the
 * spare node replicate the first.
 */
async function joinNodes(masters: readonly string[], spare: string, buses: readonly number[]): Promise<void> {
  const slots = 16_384
  const urls = [...masters, spare]
  const clients = await Promise.all(urls.map((url) => createClient({ url }).connect()))
  const [first] = clients
  for (const [at, client] of clients.entries()) {
    const from = Math.ceil((at * slots) / masters.length)
    const to = Math.ceil(((at + 1) * slots) / masters.length) - 1
    if (at < masters.length) await client.sendCommand(['CLUSTER', 'ADDSLOTSRANGE', String(from), String(to)])
    const { port } = new URL(urls[at] ?? '')
    if (at > 0) await first?.sendCommand(['CLUSTER', 'MEET', '127.0.0.1', port, String(buses[at])])
  }
  const waitFor = async (client: (typeof clients)[number], command: string[], wanted: RegExp) => {
    let text = ''
    for (let tries = 0; tries < 300 && !wanted.test(text); tries++) {
      await sleep(100)
      text = String(await client.sendCommand(command))
    }
    expect(text).toMatch(wanted)
  }
  for (const client of clients)
    await waitFor(client, ['CLUSTER', 'INFO'], /cluster_state:ok[\s\S]*known_nodes:4/)
  const last = clients.at(-1)
  if (!first || !last) throw new Error('A cluster has at least two nodes.')
  await last.sendCommand(['CLUSTER', 'REPLICATE', String(await first.sendCommand(['CLUSTER', 'MYID']))])
  await waitFor(last, ['INFO', 'replication'], /master_link_status:up/)
  for (const client of clients) client.destroy()
}
