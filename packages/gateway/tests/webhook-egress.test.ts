import { createServer } from 'node:http'
import { networkInterfaces } from 'node:os'
import type { buildConnector } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Egress, type EgressParts } from '../src/webhooks/egress.ts'
import { findUrlFlaw } from '../src/webhooks/url.ts'
import {
  call,
  createTestConfig,
  createWorld,
  openTestGateway,
  type TestGateway,
  type World,
} from './harness.ts'
import { deliverDue, listDeliveries, openReceiver, privateNets, registerEndpoint } from './receiver.ts'
import { expectError } from './trade.ts'

/** The URLs that must not be called, each with the reason. */
const refused: readonly (readonly [string, string])[] = [
  ['http://hooks.example.com/', 'url_scheme'],
  ['ftp://hooks.example.com/', 'url_form'],
  ['file:///etc/passwd', 'url_form'],
  ['//hooks.example.com/', 'url_form'],
  ['hooks.example.com', 'url_form'],
  ['https:hooks.example.com', 'url_form'],
  ['https:\\\\hooks.example.com', 'url_form'],
  ['https://hooks.example.com\\@127.0.0.1/', 'url_form'],
  ['https://', 'url_form'],
  ['https://:443/', 'url_form'],
  ['https://hooks.example.com/ a', 'url_form'],
  ['https://hooks.example.com/\ta', 'url_form'],
  ['https://höoks.example.com/', 'url_form'],
  ['https://①②⑦.⓪.⓪.①/', 'url_form'],
  [`https://hooks.example.com/${'a'.repeat(2_048)}`, 'url_form'],
  ['https://user@hooks.example.com/', 'url_credentials'],
  ['https://user:pass@hooks.example.com/', 'url_credentials'],
  ['https://@hooks.example.com/', 'url_credentials'],
  ['https://hooks.example.com/#part', 'url_fragment'],
  ['https://hooks.example.com/#', 'url_fragment'],
  ['https://hooks.example.com:80/', 'url_port'],
  ['https://hooks.example.com:22/', 'url_port'],
  ['https://hooks.example.com:8444/', 'url_port'],
  ...[
    '127.1',
    '0',
    '2130706433',
    '017700000001',
    '0x7f.1',
    '0x7f000001',
    '127.0.0.1',
    '127.0.0.1.',
    'localhost',
    'localhost.',
    'a.localhost',
    'LOCALHOST',
    'db.internal',
    'metadata.google.internal',
    'printer.local',
    'router',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '169.254.169.254',
    '168.63.129.16',
    '192.0.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '[::1]',
    '[::]',
    '[fe80::1]',
    '[fc00::1]',
    '[::ffff:7f00:1]',
    '[::ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::1]',
    '[2002:7f00:1::]',
    '[2001::1]',
    '[ff00::1]',
  ].map((host) => [`https://${host}/`, 'url_not_public'] as const),
  ['https://gateway.example.com/x', 'url_own'],
  ['https://database.example.com/x', 'url_own'],
  ['https://other-database.example.com/x', 'url_own'],
  ['https://erp.example.com/x', 'url_own'],
]
const fine = [
  'https://hooks.example.com/trade?x=1',
  'https://hooks.example.com:8443/',
  'https://hooks.example.com:443/',
  'HTTPS://HOOKS.EXAMPLE.COM/',
  'https://xn--hoks-5qa.example.com/',
  'https://8.8.8.8/',
  'https://[2606:4700::1111]/',
  'https://127.0.0.1.nip.io/',
]
const own = {
  BASE_URL: 'https://gateway.example.com',
  UPSTREAM_URL: 'https://erp.example.com:9000',
  UPSTREAM_TOKEN: 'a-token-for-tests',
}
const config = {
  ...createTestConfig(own),
  databaseUrl: 'postgres://someone:secret@database.example.com/gateway?host=other-database.example.com',
}

describe('a webhook URL', () => {
  it.each(refused)('%s is not called', (url, flaw) => expect(findUrlFlaw(url, config)).toBe(flaw))
  it.each(fine)('%s may be', (url) => expect(findUrlFlaw(url, config)).toBeUndefined())

  it('may be http, private and on any port in development only, and never carries credentials', () => {
    const development = createTestConfig(privateNets)
    for (const url of ['http://127.0.0.1:3000/', 'http://localhost:3000/', 'https://10.0.0.1:9/'])
      expect(findUrlFlaw(url, development)).toBeUndefined()
    expect(findUrlFlaw('http://user:pass@127.0.0.1/', development)).toBe('url_credentials')
    expect(findUrlFlaw('http://127.0.0.1/#a', development)).toBe('url_fragment')
  })
})

describe('registering', () => {
  let house: TestGateway
  let channel: World
  beforeAll(async () => {
    house = await openTestGateway()
    channel = await createWorld(house)
  })
  afterAll(() => house.close())

  it('refuses every one of them by name, at creation and at a change', async () => {
    const { endpoint_id } = await registerEndpoint(house, channel.token, 'https://hooks.example.com/')
    // The cases `url_own` name hosts of the gateway itself. This gateway has other hosts, so they are left out.
    for (const [url] of refused.filter(([, flaw]) => flaw !== 'url_own')) {
      const body = { url, event_types: ['order.created'] }
      const { token } = channel
      for (const [method, path] of [
        ['POST', '/api/v1/webhook-endpoints'],
        ['PATCH', `/api/v1/webhook-endpoints/${endpoint_id}`],
      ] as const) {
        expectError(await call(house, method, path, { token, body }), 'VALIDATION_FAILED', { param: 'url' })
      }
    }
    const { json } = await call(house, 'GET', '/api/v1/webhook-endpoints', { token: channel.token })
    expect(json.data).toHaveLength(1)
  })

  it('is checked again before each attempt, whatever stands in the database', async () => {
    const { token } = await createWorld(house)
    const receiver = await openReceiver()
    const { endpoint_id } = await registerEndpoint(house, token, 'https://hooks.example.com/')
    const { db } = house.gateway.store
    await db
      .updateTable('webhook_endpoints')
      .set({ url: receiver.url })
      .where('endpoint_id', '=', endpoint_id)
      .execute()
    await call(house, 'POST', `/api/v1/webhook-endpoints/${endpoint_id}/test`, { token })
    await deliverDue(house)
    expect(receiver.received).toHaveLength(0)
    expect(await listDeliveries(house, token)).toMatchObject([
      { status: 'pending', last_error: 'not_public' },
    ])
    await receiver.close()
  })
})

type Dial = NonNullable<EgressParts['dial']>

/** Creates a connector that records the target of each connection and opens none. */
function createRecordingDialer(): {
  readonly opened: Parameters<ReturnType<typeof buildConnector>>[0][]
  readonly dial: Dial
} {
  const opened: Parameters<Dial>[0][] = []
  const dial: Dial = (options, callback) => {
    opened.push(options)
    callback(new Error('There is no network in tests.'), null)
  }
  return { opened, dial }
}

const postTo = (egress: Egress, url: string) =>
  egress.post({ url, headers: [], body: Buffer.from('{}'), timeoutMs: 2_000 })

describe('a connection', () => {
  it('goes to the address that was checked, under the name that was asked for', async () => {
    const { opened, dial } = createRecordingDialer()
    const egress = new Egress(createTestConfig(), { dial, resolve: async () => ['8.8.8.8'] })
    expect(await postTo(egress, 'https://hooks.example.com/')).toMatchObject({ error: 'connection' })
    expect(opened).toMatchObject([{ hostname: '8.8.8.8', servername: 'hooks.example.com' }])
    await egress.close()
  })

  it('is opened to none of a thousand answers of a resolver that flips to a private address', async () => {
    const { opened, dial } = createRecordingDialer()
    let asked = 0
    const egress = new Egress(createTestConfig(), {
      dial,
      resolve: async () => [asked++ % 2 === 0 ? '127.0.0.1' : '8.8.8.8'],
    })
    for (let time = 0; time < 1_000; time++) await postTo(egress, `https://flip-${time % 7}.example.com/`)
    expect(asked).toBe(1_000)
    expect(opened).toHaveLength(500)
    expect(opened.filter(({ hostname }) => hostname !== '8.8.8.8')).toEqual([])
    await egress.close()
  })

  it.each([
    [['127.0.0.1']],
    [['8.8.8.8', '10.0.0.1']],
    [['2606:4700::1111', '::1']],
    [['::ffff:8.8.8.8']],
    [['64:ff9b::7f00:1']],
    [['fe80::1%eth0']],
    [['not an address']],
  ])('is not opened where a name resolves to %j', async (addresses) => {
    const { opened, dial } = createRecordingDialer()
    const egress = new Egress(createTestConfig(), { dial, resolve: async () => addresses })
    expect(await postTo(egress, 'https://127.0.0.1.nip.io/')).toMatchObject({
      status: undefined,
      error: 'not_public',
    })
    expect(opened).toEqual([])
    await egress.close()
  })

  it('is not opened to an address of the gateway’s own, public or not', async () => {
    const { opened, dial } = createRecordingDialer()
    const addresses = Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .map(({ address }) => address)
    for (const address of addresses) {
      const egress = new Egress(createTestConfig(), { dial, resolve: async () => [address] })
      expect(await postTo(egress, 'https://hooks.example.com/')).toMatchObject({ error: 'not_public' })
      await egress.close()
    }
    expect(opened).toEqual([])
  })

  it('is not opened where a name has no address, and says so', async () => {
    const { opened, dial } = createRecordingDialer()
    const failToResolve = () => Promise.reject(new Error('ENOTFOUND'))
    const egress = new Egress(createTestConfig(), { dial, resolve: failToResolve })
    expect(await postTo(egress, 'https://hooks.example.com/')).toMatchObject({ error: 'dns' })
    expect(opened).toEqual([])
    await egress.close()
  })

  it.each(refused.filter(([, flaw]) => flaw !== 'url_own').map(([url]) => url))(
    'is not opened for %s',
    async (url) => {
      const { opened, dial } = createRecordingDialer()
      const asked: string[] = []
      const egress = new Egress(createTestConfig(), {
        dial,
        resolve: async (host) => {
          asked.push(host)
          return ['8.8.8.8']
        },
      })
      expect(await postTo(egress, url)).toMatchObject({ error: 'not_public' })
      expect({ opened, asked }).toEqual({ opened: [], asked: [] })
      await egress.close()
    },
  )

  it('is given up after its deadline, however slowly the answer trickles', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write('.'), 50)
      response.on('close', () => clearInterval(timer))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    const egress = new Egress(createTestConfig(privateNets))
    const began = performance.now()
    const posted = await egress.post({
      url: `http://127.0.0.1:${port}/`,
      headers: [],
      body: Buffer.from('{}'),
      timeoutMs: 400,
    })
    expect(posted).toMatchObject({ error: 'timeout' })
    expect(performance.now() - began).toBeLessThan(2_000)
    await egress.close()
    server.closeAllConnections()
    server.close()
  })
})
