import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { publishStockChanges } from '../../gateway/src/events/stock-changed.ts'
import { sequenceEvents } from '../../gateway/src/webhooks/sequence.ts'
import { createWorld, signInBuyer } from '../../gateway/tests/harness.ts'
import { deliverDue, openReceiver, registerEndpoint } from '../../gateway/tests/receiver.ts'
import { Home, type Result, waitForEnd } from './run-tgw.ts'
import { openShopWithHome, type Shop } from './shop.ts'
import { openSlowStock } from './slow-stock.ts'

let shop: Shop
const tgw = (...args: string[]): Promise<Result> => shop.home.run(args)
const parseLines = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
const orderOptions = ['--set', 'recipient.name=Kim Park', '--set', 'recipient.phone=+61 2 5550 1234']
  .concat(['--set', 'recipient.address=1 Example Street', '--set', 'recipient.city=Sydney'])
  .concat(['--set', 'recipient.state=NSW', '--set', 'recipient.postal_code=2000'])
  .concat(['--set', 'recipient.country_code=AU', '--sku', 'SBX-SHORT-3', '--quantity', '1'])

beforeAll(async () => {
  shop = await openShopWithHome()
})
afterAll(() => shop.close())

describe('every command', () => {
  it('has a help text, and refuses an option that does not exist', async () => {
    expect(await tgw('stock', 'pull', '--help')).toMatchObject({
      code: 0,
      out: expect.stringContaining('Usage: tgw stock pull WAREHOUSE [options]'),
      err: '',
    })
    expect(await tgw('whoami', '--jsn')).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('Did you mean "--json"?'),
    })
  })

  it('is described to programs, and only grows', async () => {
    const { out } = await tgw('commands', '--json')
    const lines = parseLines(out).map(
      ({ name, arguments: args, options }) =>
        `${[name, ...args.map((each: { name: string }) => each.name.toUpperCase())].join(' ')}: ${options
          .map((each: { name: string }) => each.name)
          .join(' ')}`,
    )
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('command-tree.txt')
  })

  it('suggests the command that was probably meant', async () => {
    expect(await tgw('stok')).toMatchObject({ code: 2, err: expect.stringContaining('"tgw stock"') })
    expect(await tgw('stock', 'pul')).toMatchObject({
      code: 2,
      err: expect.stringContaining('"tgw stock pull"'),
    })
    expect(await tgw('mcp', 'config', 'cursr')).toMatchObject({
      code: 2,
      err: expect.stringContaining('cursor'),
    })
  })
})

describe('the exit code says what failed', () => {
  it.each([
    [0, ['whoami'], {}],
    [2, ['order', 'get'], {}],
    [2, ['stock', 'pull', 'AUSYD1', '--format', 'xml'], {}],
    [2, ['stock', 'watch', 'AUSYD1', '--since', 'yesterday'], {}],
    [3, ['whoami'], { TGW_PASSWORD: 'wrong' }],
    [3, ['whoami'], { TGW_USERNAME: '', TGW_PASSWORD: '' }],
    [4, ['order', 'get', 'ord_00000000000000000000000000'], {}],
    [4, ['stock', 'get', 'NO-SUCH-SKU', '-w', 'AUSYD1'], {}],
    [5, ['dropship', 'submit', ...orderOptions, '--sku', 'SBX-REJECT', '--number', 'R-1'], {}],
    [5, ['dropship', 'submit', '--number', 'R-2'], {}],
    [7, ['whoami', '--timeout', '1'], { TGW_BASE_URL: 'http://127.0.0.1:9' }],
  ])('%i: tgw %j %j', async (code, args, env) => {
    const result = await shop.home.run(args, { env })
    expect(result.code, result.err).toBe(code)
    if (code !== 0) expect(result).toMatchObject({ out: '', err: expect.stringMatching(/^✗ .+\n→ /m) })
  })

  it('6: the points are used up', async () => {
    const { client_id, client_secret } = await createWorld(shop.house, { points_per_minute: 1 })
    const env = { TGW_USERNAME: '', TGW_CLIENT_ID: client_id, TGW_CLIENT_SECRET: client_secret }
    await shop.home.run(['warehouses'], { env })
    // The points are back in a minute, which is longer than the command may take.
    const result = await shop.home.run(['warehouses', '--timeout', '30', '--json', '--quiet'], { env })
    expect(result.code, result.err).toBe(6)
    expect(JSON.parse(result.err)).toMatchObject({ error: { code: 'RATE_LIMITED' }, exit_code: 6 })
  })

  it('suggests the error code that was probably meant', async () => {
    const { code, err } = await tgw('errors', 'explain', 'UPSTREAM_REJCTED')
    expect(code).toBe(4)
    expect(err).toContain('"UPSTREAM_REJECTED"')
    expect(err).toContain('tgw errors list')
  })

  it('says which request failed, and what to do', async () => {
    const { err } = await tgw('order', 'get', 'ord_00000000000000000000000000')
    expect(err).toMatch(/^✗ NOT_FOUND: .+\n→ .+\nrequest req_\w+ · docs \/errors\/NOT_FOUND\n$/)
  })
})

describe('orders', () => {
  it('places a drop-ship order once for one key', async () => {
    const args = ['dropship', 'submit', ...orderOptions, '--number', 'CLI-1', '--json']
    const first = await tgw(...args, '--idempotency-key', 'cli-1')
    const second = await tgw(...args, '--idempotency-key', 'cli-1')
    expect(JSON.parse(first.out)).toMatchObject({ client_order_number: 'CLI-1', status: 'pending' })
    expect(second).toEqual(first)
    const listed = parseLines((await tgw('dropship', 'list', '--number', 'CLI-1', '--json')).out)
    expect(listed).toHaveLength(1)
  })

  it('takes a wholesale order from a draft to its void', async () => {
    const example = await tgw('order', 'create', '--example')
    const created = await shop.home.run(['order', 'create', '-f', '-', '--json'], { input: example.out })
    const { order_id } = JSON.parse(created.out)
    expect(JSON.parse((await tgw('order', 'preview', order_id, '--json')).out)).toMatchObject({
      fulfillable: true,
    })
    expect(JSON.parse((await tgw('order', 'submit', order_id, '--json')).out)).toMatchObject({
      status: 'confirmed',
    })
    expect(JSON.parse((await tgw('order', 'void', order_id, '--json')).out)).toMatchObject({
      status: 'cancelled',
    })
  })

  it('finds an order whose response was lost', async () => {
    const file = join(shop.home.folder, 'timeout.json')
    await writeFile(file, JSON.stringify({ sku: 'SBX-SHORT-3' }))
    const proxy = await openCuttingProxy(shop.house.port)
    const env = { TGW_BASE_URL: proxy.url }
    const args = ['dropship', 'submit', ...orderOptions, '--number', 'CUT-1', '--json']
    const { code, out, err } = await shop.home.run(args, { env })
    await proxy.close()
    expect(code, err).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ client_order_number: 'CUT-1' })
    const { out: listed } = await tgw('dropship', 'list', '--number', 'CUT-1', '--json')
    expect(parseLines(listed)).toHaveLength(1)
  })

  it('asks before a write outside a sandbox, and refuses without a terminal', async () => {
    const home = await signIn()
    const file = join(home.folder, '.config/tgw/profiles.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace('"sandbox": true', '"sandbox": false'))
    const args = ['dropship', 'submit', ...orderOptions, '--number', 'LIVE-1']
    expect(await home.run(args)).toMatchObject({ code: 2, out: '', err: expect.stringContaining('--yes') })
    expect(await home.run([...args, '--yes'])).toMatchObject({ code: 0 })
    home.remove()
  })

  it('places a first order with one command, and leaves other profiles as they are', async () => {
    const home = await signIn()
    const { TGW_BASE_URL: base_url, TGW_USERNAME: username, TGW_PASSWORD: password } = shop.env
    const file = join(home.folder, 'sandbox.json')
    writeFileSync(file, JSON.stringify({ base_url, username, password }))
    const placed = await home.run(['quickstart', '--sandbox', file, '--json'])
    expect(placed.code, placed.err).toBe(0)
    expect(JSON.parse(placed.out)).toMatchObject({ status: 'pending' })
    const { out } = await home.run(['profiles', 'list', '--json'])
    expect(parseLines(out).map(({ profile, current }) => [profile, current])).toEqual([
      ['default', false],
      ['sandbox', true],
    ])
    // The token of the removed profile is revoked, and no other one.
    expect(await home.run(['profiles', 'remove', 'sandbox'])).toMatchObject({ code: 0 })
    expect(await home.run(['whoami'])).toMatchObject({ code: 0 })
    home.remove()
  })

  it('has its first order voided by quickstart --reset, and its stock back', async () => {
    // It also voids what earlier tests have ordered.
    expect(await tgw('quickstart', '--reset', '-q')).toMatchObject({ code: 0 })
    await shop.house.settle()
    const before = await readQuantities()
    const { dropship_order_id } = JSON.parse((await tgw('quickstart', '--json', '-q')).out)
    await shop.house.settle()
    expect(await readQuantities()).not.toEqual(before)
    expect(await tgw('quickstart', '--reset', '-q')).toMatchObject({ code: 0 })
    const { out } = await tgw('dropship', 'get', dropship_order_id, '--json')
    expect(JSON.parse(out)).toMatchObject({ status: 'cancelled' })
    await shop.house.settle()
    expect(await readQuantities()).toEqual(before)
  })
})

/** What is there of each SKU of each warehouse. */
async function readQuantities(): Promise<string[]> {
  const pulled = []
  for (const code of ['AUSYD1', 'CHNZJ1']) {
    const { out } = await tgw('stock', 'pull', code, '--format', 'ndjson', '-q')
    for (const row of parseLines(out))
      pulled.push(`${code} ${row.sku} ${row.quantity_on_hand} ${row.quantity_available}`)
  }
  return pulled
}

/** Signs the buyer in to a home of its own, with a profile instead of the environment. */
async function signIn(): Promise<Home> {
  const home = new Home()
  const { TGW_BASE_URL, TGW_USERNAME, TGW_PASSWORD } = shop.env
  const args = ['login', '--base-url', TGW_BASE_URL, '--username', TGW_USERNAME, '--secret-stdin']
  expect(await home.run(args, { input: `${TGW_PASSWORD}\n` })).toMatchObject({ code: 0 })
  return home
}

/** Forwards bytes, and cuts the connection instead of the response to the first submit. */
async function openCuttingProxy(port: number) {
  const { connect } = await import('node:net')
  let isCut = false
  const server = createTcpServer((socket) => {
    const upstream = connect(port, '127.0.0.1')
    let isSubmit = false
    socket.on('data', (bytes) => {
      isSubmit ||= bytes.includes('/dropship-orders/submit')
      upstream.write(bytes)
    })
    upstream.on('data', (bytes) => {
      if (isSubmit && !isCut) {
        isCut = true
        socket.destroy()
      } else socket.write(bytes)
    })
    for (const each of [socket, upstream]) {
      each.on('error', () => {})
      each.on('close', () => {
        socket.destroy()
        upstream.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

describe('secrets', () => {
  it('are in a file that only its owner can read, and nowhere else', async () => {
    const home = await signIn()
    const { TGW_PASSWORD } = shop.env
    const file = join(home.folder, '.config/tgw/secrets.json')
    expect(await readFile(file, 'utf8')).toContain(TGW_PASSWORD)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(home.folder, '.config/tgw/profiles.json'), 'utf8')).not.toContain(TGW_PASSWORD)
    const { out, err } = await home.run(['whoami', '--debug'])
    expect(out + err).not.toContain(TGW_PASSWORD)
    expect(err).toContain('response GET /api/v1/me')
    home.remove()
  })

  it('are in the keychain where there is one, by its command’s standard input', async () => {
    const home = new Home()
    const tools = join(home.folder, 'bin')
    await mkdir(tools)
    const tool = join(tools, 'secret-tool')
    const store = join(home.folder, 'keychain')
    await writeFile(
      tool,
      `#!/bin/sh\necho "$@" >> ${store}.log\ncase $1 in store) cat > ${store};; lookup) [ -f ${store} ] && cat ${store};; clear) rm -f ${store};; esac\n`,
    )
    await chmod(tool, 0o755)
    const { TGW_BASE_URL, TGW_USERNAME, TGW_PASSWORD } = shop.env
    const env = { TGW_KEYCHAIN: '', PATH: `${tools}:/usr/bin:/bin` }
    const args = ['login', '--base-url', TGW_BASE_URL, '--username', TGW_USERNAME, '--secret-stdin']
    expect(await home.run(args, { env, input: TGW_PASSWORD })).toMatchObject({ code: 0 })
    expect(existsSync(join(home.folder, '.config/tgw/secrets.json'))).toBe(false)
    expect(await readFile(`${store}.log`, 'utf8')).not.toContain(TGW_PASSWORD)
    expect(await home.run(['whoami'], { env })).toMatchObject({ code: 0 })
    expect(await home.run(['logout'], { env })).toMatchObject({ code: 0 })
    expect(existsSync(store)).toBe(false)
    expect(await home.run(['whoami'], { env })).toMatchObject({ code: 3 })
    home.remove()
  })

  it('are not taken from an option', async () => {
    for (const option of ['--password', '--client-secret', '--token']) {
      const { code, out, err } = await tgw('login', option, 'hunter2')
      expect({ code, out }).toEqual({ code: 2, out: '' })
      expect(err).toContain('other users of this machine')
      expect(err).not.toContain('hunter2')
    }
  })

  it('of a profile are never sent to another address', async () => {
    const home = await signIn()
    let requests = 0
    const server = createServer((_, response) => {
      requests += 1
      response.end('{}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const other = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    expect(await home.run(['whoami', '--base-url', other])).toMatchObject({ code: 2, out: '' })
    expect(await home.run(['whoami'], { env: { TGW_BASE_URL: other } })).toMatchObject({ code: 2, out: '' })
    expect(requests).toBe(0)
    server.close()
    home.remove()
  })

  it('that are wrong are never stored', async () => {
    const home = new Home()
    const args = ['login', '--base-url', shop.house.url, '--username', 'nobody', '--secret-stdin']
    expect(await home.run(args, { input: 'wrong' })).toMatchObject({ code: 3 })
    expect(existsSync(join(home.folder, '.config'))).toBe(false)
    home.remove()
  })
})

describe('bad surroundings', () => {
  it.skipIf(!existsSync('/dev/full'))('a full disk ends with 1 and a sentence', async () => {
    const result = await tgw('stock', 'pull', 'AUSYD1', '--out', '/dev/full')
    expect(result).toMatchObject({ code: 1, err: expect.stringContaining('No space is left') })
    const { openSync } = await import('node:fs')
    const { spawn } = await import('node:child_process')
    const child = spawn(process.execPath, [join(import.meta.dirname, '../src/main.ts'), 'whoami'], {
      env: { ...shop.env, HOME: shop.home.folder, TGW_KEYCHAIN: 'off' },
      stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
    })
    expect(await waitForEnd(child)).toMatchObject({
      code: 1,
      err: expect.stringContaining('No space is left'),
    })
  })

  it('a disk that fills up keeps what was downloaded, and names nothing half', async () => {
    const stock = await openSlowStock(8, 1)
    const file = join(shop.home.folder, 'filled.ndjson')
    const pull = ['stock', 'pull', 'AUSYD1', '--out', file]
    // A limit for the size of files stands for the disk: it ends writes in the same way.
    const filled = await shop.home.run(pull, { env: stock.env, maxFileBlocks: 2_000 })
    expect(filled.code, filled.err).toBe(1)
    expect(filled.err).toMatch(/has \d+ rows\. Continue the download with: .+\n✗ /)
    expect(existsSync(file)).toBe(false)
    expect(await shop.home.run([...pull, '--resume'], { env: stock.env })).toMatchObject({ code: 0 })
    expect(readFileSync(file, 'utf8')).toBe(stock.whole)
    await stock.close()
  })

  it('a reader that has gone ends it with 0 and without a word', async () => {
    const child = shop.home.start(['stock', 'pull', 'AUSYD1', '--quiet'])
    child.stdout?.once('data', () => child.stdout?.destroy())
    const { code, err } = await waitForEnd(child)
    expect({ code, err }).toEqual({ code: 0, err: '' })
  })

  it('without a terminal it asks nothing, and says what to type', async () => {
    const home = new Home()
    expect(await home.run(['login'])).toMatchObject({ code: 2, err: expect.stringContaining('--base-url') })
    const args = ['login', '--base-url', shop.house.url, '--username', 'x']
    expect(await home.run(args)).toMatchObject({ code: 2, err: expect.stringContaining('--secret-stdin') })
    home.remove()
  })

  it('an HTML page of a proxy ends with 7', async () => {
    const server = createServer((_, response) =>
      response.setHeader('content-type', 'text/html').end('<h1>Hi</h1>'),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const env = { TGW_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    const { code, err } = await shop.home.run(['whoami'], { env })
    server.close()
    expect(code, err).toBe(7)
    expect(err).toContain('UNEXPECTED_RESPONSE')
  })

  it('Ctrl-C ends it with 130 at whatever it waits for, and a write prints its key', async () => {
    const server = createServer((request, response) => {
      if (!request.url?.includes('/auth/token')) return
      response.setHeader('content-type', 'application/json')
      response.end('{"data":{"access_token":"a","token_type":"Bearer","expires_in":3600}}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const env = { TGW_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    const waits = [
      ['whoami'],
      ['stock', 'pull', 'AUSYD1'],
      ['dropship', 'submit', ...orderOptions, '--number', 'HANG-1', '--yes'],
      ['login', '--username', 'x', '--secret-stdin'],
    ]
    for (const args of waits) {
      const arrived = new Promise((resolve) => server.once('request', resolve))
      const child = shop.home.start(args, { env })
      const ended = waitForEnd(child)
      if (args[0] === 'login') child.stdin?.write('half a secret')
      // A command that waits for its input sends no request.
      await (args[0] === 'login' ? new Promise((resolve) => setTimeout(resolve, 1_500)) : arrived)
      if (args[1] === 'submit') await new Promise((resolve) => server.once('request', resolve))
      child.kill('SIGINT')
      const { code, out, err } = await ended
      expect({ code, out }, args.join(' ') + err).toEqual({ code: 130, out: '' })
      if (args[1] === 'submit') expect(err).toMatch(/--idempotency-key [\w-]{36}/)
    }
    const looking = shop.home.start(
      ['dropship', 'submit', ...orderOptions, '--number', 'HANG-2', '--yes', '--timeout', '4'],
      { env },
    )
    const ended = waitForEnd(looking)
    await new Promise<void>((resolve) => {
      looking.stderr?.on('data', (text) => String(text).includes('Looking the write up') && resolve())
    })
    looking.kill('SIGINT')
    const { code, err } = await ended
    expect(code, err).toBe(130)
    expect(err).toMatch(/--idempotency-key [\w-]{36}/)
    server.closeAllConnections()
    server.close()
  }, 60_000)
})

describe('stock', () => {
  it('downloads every row, in both formats', async () => {
    const checksum = JSON.parse((await tgw('api', 'GET', '/api/v1/warehouses/AUSYD1/stock/checksum')).out)
    const { out: ndjson } = await tgw('stock', 'pull', 'AUSYD1', '--format', 'ndjson')
    const rows = parseLines(ndjson)
    expect(rows).toHaveLength(checksum.data.row_count)
    const file = join(shop.home.folder, 'stock.csv')
    expect(await tgw('stock', 'pull', 'AUSYD1', '--out', file)).toMatchObject({ code: 0, out: '' })
    const csv = readFileSync(file, 'utf8').split('\r\n').slice(1, -1)
    expect(csv.map((line) => line.split(',')[0])).toEqual(rows.map(({ sku }) => sku))
  })

  it('continues an interrupted download where it was, and never names half a file', async () => {
    const file = join(shop.home.folder, 'resumed.ndjson')
    const { out: whole, err } = await tgw('stock', 'pull', 'AUSYD1', '--format', 'ndjson')
    const lines = whole.split('\n')
    const half = `${lines.slice(0, 40).join('\n')}\n`
    const version = Number(/--since (\d+)/.exec(err)?.[1])
    expect(await tgw('stock', 'pull', 'AUSYD1', '--out', file, '--resume')).toMatchObject({ code: 1 })
    // What a kill leaves: the noted rows, and a torn one after them.
    writeFileSync(`${file}.part`, `${half}{"sku":"TORN`)
    const place = { base_url: shop.house.url, warehouse: 'AUSYD1', format: 'ndjson', version, rows: 40 }
    writeFileSync(
      `${file}.part.json`,
      JSON.stringify({ ...place, next_page: 1, bytes: Buffer.byteLength(half) }),
    )
    expect(await tgw('stock', 'pull', 'AUSYD1', '--out', file, '--resume')).toMatchObject({ code: 0 })
    // The rows that are there are not written twice.
    expect(readFileSync(file, 'utf8')).toBe(whole)
    expect(existsSync(`${file}.part`)).toBe(false)
    expect(await tgw('stock', 'pull', 'AUSYD2', '--out', file, '--resume')).toMatchObject({ code: 1 })
  })

  it('says that an interrupted download is begun again, and never continues it with other rows', async () => {
    const file = join(shop.home.folder, 'again.ndjson')
    const place = { base_url: shop.house.url, warehouse: 'AUSYD1', format: 'ndjson', version: 1, rows: 7 }
    writeFileSync(`${file}.part`, 'x'.repeat(9))
    writeFileSync(`${file}.part.json`, JSON.stringify({ ...place, next_page: 2, bytes: 9 }))
    const env = { TGW_BASE_URL: shop.env.TGW_BASE_URL, TGW_PASSWORD: 'wrong' }
    const failed = await shop.home.run(['stock', 'pull', 'AUSYD1', '--out', file], { env })
    expect(failed).toMatchObject({ code: 3, err: expect.stringContaining('had 7 rows of an interrupted') })
    expect(existsSync(`${file}.part.json`) || existsSync(`${file}.part`)).toBe(false)
  })

  it('is watched from the version of a download', async () => {
    const { err } = await tgw('stock', 'pull', 'AUSYD1', '--format', 'ndjson')
    const version = /--since (\d+)/.exec(err)?.[1] ?? ''
    const child = shop.home.start([
      'stock',
      'watch',
      'AUSYD1',
      '--since',
      version,
      '--interval',
      '1s',
      '--json',
    ])
    const ended = waitForEnd(child)
    const seen = new Promise<string>((resolve) => child.stdout?.once('data', resolve))
    await tgw('dropship', 'submit', ...orderOptions, '--number', 'WATCH-1')
    expect(JSON.parse((await seen).split('\n')[0] ?? '')).toMatchObject({ sku: 'SBX-SHORT-3' })
    child.kill('SIGINT')
    expect(await ended).toMatchObject({ code: 130 })
  })
})

describe('webhooks', () => {
  it('triggers events that the API agrees with, and whose bodies are what the catalogue of events says', async () => {
    // The worker's first turn notes where the stock stands, and announces nothing.
    await publishStockChanges(shop.house.gateway)
    const set = ['--set', 'sku=SBX-OOS', '--set', 'quantity_available=7']
    const changed = await tgw('webhooks', 'trigger', 'stock.changed', ...set, '--json')
    expect(changed, changed.err).toMatchObject({ code: 0 })
    await shop.house.settle()
    const { out } = await tgw('stock', 'get', 'SBX-OOS', '-w', 'AUSYD1', '--json')
    expect(JSON.parse(out)).toMatchObject({ quantity_available: 7 })
    const created = await tgw('webhooks', 'trigger', 'order.created', '--json')
    const { dropship_order_id } = JSON.parse(created.out)
    expect(await tgw('dropship', 'get', dropship_order_id)).toMatchObject({ code: 0 })
    await shop.house.settle()
    await publishStockChanges(shop.house.gateway)
    while (await sequenceEvents(shop.house.gateway));
    const readData = async (path: string) => JSON.parse((await tgw('api', 'GET', path)).out).data
    const events: { type: string; data: unknown }[] = await readData('/api/v1/events')
    const listData = (wanted: string) => events.filter(({ type }) => type === wanted).map(({ data }) => data)
    expect(listData('stock.changed')).toContainEqual(expect.objectContaining({ warehouse_code: 'AUSYD1' }))
    expect(listData('order.created')).toContainEqual(expect.objectContaining({ dropship_order_id }))
    for (const { type, data_schema } of await readData('/api/v1/events/types')) {
      const schema = z.fromJSONSchema(data_schema)
      for (const data of listData(type)) expect(schema.safeParse(data).error, type).toBeUndefined()
    }
    expect(await tgw('webhooks', 'trigger', 'no.such')).toMatchObject({ code: 2 })
    for (const quantity of ['', '-1', '1.5', 'many'])
      expect(
        await tgw('webhooks', 'trigger', 'stock.changed', '--set', `quantity_available=${quantity}`),
      ).toMatchObject({ code: 2, err: expect.stringContaining('must be a whole number') })
  })

  it('replays dead letters with --failed, and nothing that an endpoint has accepted', async () => {
    const receiver = await openReceiver()
    const { endpoint_id } = await registerEndpoint(shop.house, await signInBuyer(shop.house), receiver.url)
    const submitOrder = (number: string) => tgw('dropship', 'submit', ...orderOptions, '--number', number)
    const replayFailed = async (...more: string[]) =>
      tgw('webhooks', 'replay', '--failed', '--endpoint', endpoint_id, ...more)
    expect(await submitOrder('REPLAY-1')).toMatchObject({ code: 0 })
    await deliverDue(shop.house)
    receiver.usual = 500
    expect(await submitOrder('REPLAY-2')).toMatchObject({ code: 0 })
    for (const minutes of [0, 1, 3, 11, 61, 361]) {
      shop.house.clock.advance(minutes * 60_000)
      await deliverDue(shop.house)
    }
    receiver.usual = 200
    const earlier = receiver.received.length
    expect(JSON.parse((await replayFailed('--dry-run', '--json')).out)).toEqual({ count: 1, skipped: 0 })
    expect(await replayFailed()).toMatchObject({ code: 0, out: '1 are sent again.\n' })
    await deliverDue(shop.house)
    const again = receiver.received.slice(earlier).map(({ event }) => event.data.client_order_number)
    expect(again).toEqual(['REPLAY-2'])
    expect(await replayFailed()).toMatchObject({ code: 0, out: '0 are sent again.\n' })
    await receiver.close()
  })
})

describe('trace', () => {
  it.each([
    ['NOT_FOUND', ['order', 'get', 'ord_00000000000000000000000000']],
    ['UPSTREAM_REJECTED', ['dropship', 'submit', ...orderOptions, '--sku', 'SBX-REJECT', '--number', 'T-1']],
    ['WAREHOUSE_UNKNOWN', ['stock', 'pull', 'NOWHERE']],
  ])('finds the request of %s by the id of the error', async (code, args) => {
    const failed = JSON.parse((await tgw(...args, '--json')).err)
    expect(failed.error.code).toBe(code)
    await shop.house.settle()
    const { out } = await tgw('trace', failed.error.request_id, '--json')
    expect(JSON.parse(out).requests).toMatchObject([{ code, request_id: failed.error.request_id }])
  })
})

// Each check of a busy machine waits for a process and for several requests.
describe('doctor', { timeout: 120_000 }, () => {
  it('finds nothing wrong where nothing is', async () => {
    const { code, out } = await tgw('doctor', '--json')
    expect(code).toBe(0)
    expect(parseLines(out).filter(({ grade }) => grade !== 'ok')).toEqual([])
  })

  it.each<[string, Readonly<Record<string, string>>, string[]]>([
    ['language', { TGW_LANG: 'fr' }, []],
    ['profile', { TGW_USERNAME: '', TGW_PASSWORD: '' }, []],
    ['address', { TGW_BASE_URL: 'gateway.example' }, []],
    ['address', { TGW_BASE_URL: 'http://127.0.0.1:1/api/v1' }, []],
    ['gateway', { TGW_BASE_URL: 'http://127.0.0.1:9' }, []],
    ['sign-in', { TGW_PASSWORD: 'wrong' }, []],
    ['sign-in', { TGW_TOKEN: 'eyJhbGciOiJub25lIn0.e30.x' }, []],
    ['handler', {}, ['--forward-to', ':9']],
  ])('diagnoses a fault of %s: %j %j', async (check, env, more) => {
    const { code, out } = await shop.home.run(['doctor', '--json', ...more], { env })
    expect(code).toBe(1)
    const failures = parseLines(out).filter(({ grade }) => grade === 'failure')
    expect(failures).toEqual([expect.objectContaining({ check, fix: expect.stringMatching(/^\S+ \S+/) })])
  })

  it('diagnoses a page of a proxy, a wrong clock, a damaged profile and a file that others can read', async () => {
    let date = new Date().toUTCString()
    const server = createServer((request, response) => {
      if (date === '') response.setHeader('content-type', 'text/html').end('<p>Sign in to the hotel</p>')
      else
        void fetch(shop.house.url + request.url).then(async (found) => {
          response.setHeader('content-type', 'application/json').setHeader('date', date)
          response.end(await found.text())
        })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const env = { TGW_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    const diagnose = async (home: Home, more = {}) =>
      parseLines((await home.run(['doctor', '--json'], { env: more })).out)
        .filter(({ grade }) => grade === 'failure')
        .map(({ check }) => check)
    date = new Date(Date.now() - 3_600_000).toUTCString()
    expect(await diagnose(shop.home, env)).toContain('clock')
    date = ''
    expect(await diagnose(shop.home, env)).toEqual(['gateway'])
    server.closeAllConnections()
    server.close()
    const home = await signIn()
    await chmod(join(home.folder, '.config/tgw/secrets.json'), 0o644)
    expect(await diagnose(home)).toEqual(['files'])
    writeFileSync(join(home.folder, '.config/tgw/profiles.json'), '{')
    expect(await diagnose(home)).toContain('files')
    home.remove()
  })
})
