import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formatOutput } from '../src/samples/format-output.ts'
import { describeDifference } from '../src/samples/normalize-output.ts'
import { MalformedPage, readSamples, replaceOutputs } from '../src/samples/page.ts'
import { runPage } from '../src/samples/run.ts'
import { Session } from '../src/samples/session.ts'

const command = fileURLToPath(import.meta.resolve('../src/samples/command.ts'))
const here = 'http://127.0.0.1:8080'
/** A timeout in milliseconds. An idle machine needs about 15 seconds, mostly to start two gateways with their ERPs. */
const maxMs = 120_000
let directory = ''
let server: Server
let address = ''
let asked = 0

/** Starts a server whose responses each contain another id and count. Its webhook endpoints respond with 404. */
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

const createFence = (info: string, ...lines: string[]) => [`\`\`\`${info}`, ...lines, '```', ''].join('\n')

function tryPage(source: string, isCapturing: boolean) {
  const names = { client_id: 'c', client_secret: 's', username: 'u', password: 'p', admin_token: 'a' }
  const subject = { base_url: address, ...names, ended: new AbortController().signal }
  return runPage(source, subject, { directory, isCapturing })
}

describe('a page', () => {
  it('is read as samples, each with the output block directly after it', () => {
    const page = [
      '# Title',
      '',
      createFence('sh run', 'a'),
      createFence('json output', '{}'),
      createFence('ts run', 'b'),
      'text',
      '',
      createFence('text output', 'c'),
    ]
    const [first, second, ...others] = readSamples(page.join('\n'))
    expect(first).toMatchObject({
      fence: { language: 'sh', text: 'a' },
      output: { text: '{}' },
    })
    expect(second).toMatchObject({ fence: { language: 'ts', text: 'b' }, output: undefined })
    expect(others).toEqual([])
    expect(() => readSamples('```sh run\nopen')).toThrow(MalformedPage)
  })

  it('gets new outputs without another line being touched', () => {
    const page = `before\n\n${createFence('sh run', 'a')}\n${createFence('sh run', 'b')}\n${createFence('text output', 'old')}\nafter\n`
    const written = replaceOutputs(
      page,
      new Map([
        [0, { language: 'json', text: '{}' }],
        [1, { language: 'text', text: 'new' }],
      ]),
    )
    expect(written).toBe(
      `before\n\n${createFence('sh run', 'a')}\n${createFence('json output', '{}')}\n${createFence('sh run', 'b')}\n${createFence('text output', 'new')}\nafter\n`,
    )
    expect(replaceOutputs(written, new Map([[1, { language: 'text', text: '' }]]))).not.toContain('new')
  })
})

describe('what a sample printed', () => {
  it('is laid out for a reader, with the usual address and without whole secrets', () => {
    const token = `eyJhbGciOiJFZERTQSJ9.${'x'.repeat(40)}.${'y'.repeat(40)}`
    const printed = JSON.stringify({
      data: { url: `${address}/x`, access_token: token, empty: [], lines: [{ sku: 'A' }] },
    })
    expect(formatOutput(printed, address)).toEqual({
      language: 'json',
      text: `{\n  "data": {\n    "url": "${here}/x", "access_token": "eyJhbGciOiJF…", "empty": [],\n    "lines": [{ "sku": "A" }]\n  }\n}`,
    })
    expect(formatOutput('confirmed\n\n', address)).toEqual({ language: 'text', text: 'confirmed' })
  })

  it('is compared but for what differs by its nature', () => {
    const page =
      '{ "id": "ord_00000000000000000000000001", "at": "2026-11-22T01:00:00.000Z", "version": 402085085160849,\n "remaining": 1, "total": 24.75 }'
    const other = page
      .replace('1"', '2"')
      .replace('01:00', '23:59')
      .replace('160849', '160850')
      .replace('ing": 1', 'ing": 9')
    expect(describeDifference(page, other)).toBeUndefined()
    expect(describeDifference(page, other.replace('24.75', '24.76'))).toContain('24.76')
    expect(describeDifference(page, other.replace('"total"', '"sum"'))).toContain('"sum"')
    expect(describeDifference(page, '')).toBeDefined()
  })
})

describe('a session', () => {
  it('keeps variables between blocks, also for programs, and reports how a block ended', async () => {
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
    // Whether the process still runs. A zombie, which has ended but was not waited for, counts as ended.
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
  const order = createFence('sh run', 'curl -s "$BASE/order"')

  it('finds a page true whose outputs differ in ids only, and false where a field does', async () => {
    const shown =
      '{ "data": { "order_id": "ord_9999999999999999999999999z", "status": "draft" }, "asked": 0 }'
    const page = `${order}\n${createFence('json output', shown)}`
    expect(await tryPage(page, false)).toEqual({ ran: 1, problems: [], source: page })
    const { problems } = await tryPage(page.replace('draft', 'confirmed'), false)
    expect(problems).toEqual([expect.stringMatching(/^line 1: [\s\S]*confirmed[\s\S]*draft/)])
  })

  it('finds a page false that hides what a sample prints, and one whose sample fails', async () => {
    expect((await tryPage(order, false)).problems).toHaveLength(1)
    expect((await tryPage(createFence('sh run', 'false'), true)).problems).toEqual([
      expect.stringContaining('ended with 1'),
    ])
  })

  it('captures what is new and leaves what is still true as it is', async () => {
    const { source } = await tryPage(order, true)
    expect(source).toContain('```json output\n{ "data": { "order_id": "ord_')
    expect((await tryPage(source, true)).source).toBe(source)
    const counting = createFence('sh run', 'curl -s "$BASE/count"')
    const first = await tryPage(counting, true)
    const second = await tryPage(first.source, true)
    expect(second.source).not.toBe(first.source)
    expect(readSamples(second.source)).toHaveLength(1)
  })
})

async function runSamples(...args: string[]) {
  const child = spawn(process.execPath, [command, ...args], {
    env: { TMPDIR: directory },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: maxMs,
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
      const { stdout, stderr, code } = await runSamples('quickstart')
      expect(stdout, stderr).toMatch(/^ok {7}quickstart \(11 samples\)\n1 pages ok, 0 failed\n$/)
      expect(code).toBe(0)
      expect(await readdir(directory)).toEqual(before)
    },
    maxMs,
  )

  it('says what is wrong with its arguments, with exit 64', async () => {
    const [option, page] = await Promise.all([runSamples('--nonsense'), runSamples('no-such-page')])
    expect(option).toMatchObject({ code: 64, stdout: '' })
    expect(option.stderr).toContain('There is no option --nonsense.')
    expect(page).toMatchObject({ code: 64, stdout: '' })
    expect(page.stderr).toContain('There is no page no-such-page. Pages: agents/connect-an-agent,')
  })
})
