import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MalformedPage, samplesOf, withOutputs } from '../src/samples/page.ts'
import { runPage } from '../src/samples/run.ts'
import { Session } from '../src/samples/session.ts'
import { differenceOf } from '../src/samples/settled.ts'
import { shownOf } from '../src/samples/shown.ts'

const command = fileURLToPath(import.meta.resolve('../src/samples/command.ts'))
const here = 'http://127.0.0.1:8080'
/** A quiet machine needs about 15 seconds, most of them for two starts of a gateway and its ERP. */
const mostMs = 120_000
let directory = ''
let server: Server
let address = ''
let asked = 0

/** Answers an id and a count that differ from call to call; has no webhooks. */
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'samples-test-'))
  server = createServer((request, response) => {
    asked += 1
    response.statusCode = request.url?.startsWith('/api/v1/webhook') ? 404 : 200
    const order_id = `ord_${String(asked).padStart(26, '0')}`
    response.end(
      JSON.stringify({ data: { order_id, status: 'draft' }, asked: request.url === '/count' ? asked : 0 }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  address = typeof bound === 'object' && bound ? `http://127.0.0.1:${bound.port}` : ''
})
afterAll(async () => {
  server.close()
  await rm(directory, { recursive: true, force: true })
})

const fenced = (info: string, ...lines: string[]) => [`\`\`\`${info}`, ...lines, '```', ''].join('\n')

function tried(source: string, isCapturing: boolean) {
  const names = { client_id: 'c', client_secret: 's', username: 'u', password: 'p', admin_token: 'a' }
  const subject = { base_url: address, ...names, ended: new AbortController().signal }
  return runPage(source, subject, directory, isCapturing)
}

describe('a page', () => {
  it('is read as samples, each with the output that stands directly after it', () => {
    const page = [
      '# Title',
      '',
      fenced('sh run', 'a'),
      fenced('json output', '{}'),
      fenced('ts run', 'b'),
      'text',
      '',
      fenced('text output', 'c'),
    ]
    const [first, second, ...others] = samplesOf(page.join('\n'))
    expect(first).toMatchObject({
      fence: { language: 'sh', text: 'a' },
      output: { text: '{}' },
    })
    expect(second).toMatchObject({ fence: { language: 'ts', text: 'b' }, output: undefined })
    expect(others).toEqual([])
    expect(() => samplesOf('```sh run\nopen')).toThrow(MalformedPage)
  })

  it('gets new outputs without another line being touched', () => {
    const page = `before\n\n${fenced('sh run', 'a')}\n${fenced('sh run', 'b')}\n${fenced('text output', 'old')}\nafter\n`
    const written = withOutputs(
      page,
      new Map([
        [0, { language: 'json', text: '{}' }],
        [1, { language: 'text', text: 'new' }],
      ]),
    )
    expect(written).toBe(
      `before\n\n${fenced('sh run', 'a')}\n${fenced('json output', '{}')}\n${fenced('sh run', 'b')}\n${fenced('text output', 'new')}\nafter\n`,
    )
    expect(withOutputs(written, new Map([[1, { language: 'text', text: '' }]]))).not.toContain('new')
  })
})

describe('what a sample printed', () => {
  it('is laid out for a reader, with the usual address and without whole secrets', () => {
    const token = `eyJhbGciOiJFZERTQSJ9.${'x'.repeat(40)}.${'y'.repeat(40)}`
    const printed = JSON.stringify({
      data: { url: `${address}/x`, access_token: token, empty: [], lines: [{ sku: 'A' }] },
    })
    expect(shownOf(printed, address)).toEqual({
      language: 'json',
      text: `{\n  "data": {\n    "url": "${here}/x", "access_token": "eyJhbGciOiJF…", "empty": [],\n    "lines": [{ "sku": "A" }]\n  }\n}`,
    })
    expect(shownOf('confirmed\n\n', address)).toEqual({ language: 'text', text: 'confirmed' })
  })

  it('is compared but for what differs by its nature', () => {
    const page =
      '{ "id": "ord_00000000000000000000000001", "at": "2026-11-22T01:00:00.000Z", "version": 402085085160849,\n "remaining": 1, "total": 24.75 }'
    const other = page
      .replace('1"', '2"')
      .replace('01:00', '23:59')
      .replace('160849', '160850')
      .replace('ing": 1', 'ing": 9')
    expect(differenceOf(page, other)).toBeUndefined()
    expect(differenceOf(page, other.replace('24.75', '24.76'))).toContain('24.76')
    expect(differenceOf(page, other.replace('"total"', '"sum"'))).toContain('"sum"')
    expect(differenceOf(page, '')).toBeDefined()
  })
})

describe('a session', () => {
  it('keeps variables from block to block, also for programs, and tells how a block ended', async () => {
    const session = new Session(directory, { BASE: 'there' })
    try {
      expect(await session.run('sh', 'export NAME=value')).toEqual({ printed: '', status: 0 })
      expect(await session.run('sh', 'echo "$NAME" "$BASE"; echo wrong >&2; false')).toEqual({
        printed: 'value there\nwrong\n',
        status: 1,
      })
      const program = '// named.ts\nconst { NAME }: { NAME?: string } = process.env\nconsole.log(NAME)'
      expect(await session.run('ts', program)).toEqual({ printed: 'value\n', status: 0 })
      expect(await session.run('sh', 'node named.ts')).toEqual({ printed: 'value\n', status: 0 })
      await expect(session.run('sh', 'exit 3')).rejects.toThrow('ended the shell')
    } finally {
      await session.close()
    }
  })

  it('ends what a page left running', async () => {
    const session = new Session(directory, {})
    const { printed } = await session.run('sh', 'sleep 600 > /dev/null 2>&1 & echo $!')
    // Nobody may have taken note of its end yet: a zombie has ended.
    const isAlive = () => {
      const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', printed.trim()], { encoding: 'utf8' })
      return stdout.trim() !== '' && !stdout.trim().startsWith('Z')
    }
    expect(isAlive()).toBe(true)
    await session.close()
    await expect.poll(isAlive).toBe(false)
  })
})

describe('a run', () => {
  const order = fenced('sh run', 'curl -s "$BASE/order"')

  it('finds a page true whose outputs differ in ids only, and false where a field does', async () => {
    const shown =
      '{ "data": { "order_id": "ord_9999999999999999999999999z", "status": "draft" }, "asked": 0 }'
    const page = `${order}\n${fenced('json output', shown)}`
    expect(await tried(page, false)).toEqual({ ran: 1, problems: [], source: page })
    const { problems } = await tried(page.replace('draft', 'confirmed'), false)
    expect(problems).toEqual([expect.stringMatching(/^line 1: [\s\S]*confirmed[\s\S]*draft/)])
  })

  it('finds a page false that hides what a sample prints, and one whose sample fails', async () => {
    expect((await tried(order, false)).problems).toHaveLength(1)
    expect((await tried(fenced('sh run', 'false'), true)).problems).toEqual([
      expect.stringContaining('ended with 1'),
    ])
  })

  it('captures what is new and leaves what is still true as it is', async () => {
    const { source } = await tried(order, true)
    expect(source).toContain('```json output\n{ "data": { "order_id": "ord_')
    expect((await tried(source, true)).source).toBe(source)
    const counting = fenced('sh run', 'curl -s "$BASE/count"')
    const first = await tried(counting, true)
    const second = await tried(first.source, true)
    expect(second.source).not.toBe(first.source)
    expect(samplesOf(second.source)).toHaveLength(1)
  })
})

async function samples(...args: string[]) {
  const child = spawn(process.execPath, [command, ...args], {
    env: { TMPDIR: directory },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: mostMs,
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { stdout, stderr, code }
}

describe('npm run samples', () => {
  it(
    'finds the quickstart true, on a gateway of its own, and leaves nothing behind',
    async () => {
      const before = await readdir(directory)
      const { stdout, stderr, code } = await samples('quickstart')
      expect(stdout, stderr).toMatch(/^ok {7}quickstart \(11 samples\)\n1 pages ok, 0 failed\n$/)
      expect(code).toBe(0)
      expect(await readdir(directory)).toEqual(before)
    },
    mostMs,
  )

  it('says what is wrong with its arguments, with exit 64', async () => {
    const [option, page] = await Promise.all([samples('--nonsense'), samples('no-such-page')])
    expect(option).toMatchObject({ code: 64, stdout: '' })
    expect(page).toMatchObject({ code: 64, stdout: '' })
    expect(page.stderr).toContain('There is no page no-such-page. Pages: agents/connect-an-agent,')
  })
})
