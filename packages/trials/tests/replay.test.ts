import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const commandFile = fileURLToPath(import.meta.resolve('../src/order-replay/command.ts'))
/** A timeout in milliseconds. An idle machine needs about 10 seconds, and up to 40 if the ERP hangs. */
const maxMs = 180_000
let directory = ''

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'replay-test-'))
})
afterAll(() => rm(directory, { recursive: true }))

function startReplay(...args: string[]) {
  return spawn(process.execPath, [commandFile, ...args], {
    env: { TMPDIR: directory },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: maxMs,
  })
}

async function waitForExit(child: ReturnType<typeof startReplay>) {
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), closed])
  return { stdout, stderr, code }
}

const runReplay = (...args: string[]) => waitForExit(startReplay(...args))
const listLeftovers = async () =>
  (await readdir(directory)).filter((name) => name.startsWith('trade-gateway-'))

describe('npm run replay', () => {
  it(
    'places every order of a file exactly once, and reports it',
    async () => {
      const file = join(directory, 'verdict.json')
      const { stdout, stderr, code } = await runReplay('--limit', '60', '--report', file)
      expect(stdout, stderr).toMatch(/^Verdict {7}the guarantees of class "dedupe" hold$/m)
      expect(code).toBe(0)
      const report = JSON.parse(await readFile(file, 'utf8'))
      expect(report).toMatchObject({ kept: true, orders: 60, erp_documents: 60, faults: false, findings: [] })
      expect(report.outcomes).toEqual({ confirmed: 60 })
      expect(await listLeftovers()).toEqual([])
    },
    maxMs,
  )

  it(
    'places every order exactly once while the ERP fails and both are killed',
    async () => {
      const file = join(directory, 'troubled.json')
      const { stdout, stderr, code } = await runReplay(
        '--limit',
        '30',
        '--faults',
        '--seed',
        '2',
        '--report',
        file,
      )
      expect(stdout, stderr).toContain('the guarantees of class "dedupe" hold')
      expect(code).toBe(0)
      const report = JSON.parse(await readFile(file, 'utf8'))
      expect(report).toMatchObject({ kept: true, erp_documents: 30, kills: { gateway: 1, erp: 1 } })
    },
    maxMs,
  )

  it(
    'ends all child processes when it is stopped',
    async () => {
      const child = startReplay()
      child.stderr.on('data', (said) => {
        if (String(said).includes('Placing')) child.kill('SIGINT')
      })
      const { stderr, code } = await waitForExit(child)
      expect(stderr).toContain('Stopped before the end.')
      expect(code).toBe(1)
      expect(await listLeftovers()).toEqual([])
    },
    maxMs,
  )

  it('says what is wrong with its arguments, with exit 64', async () => {
    const wrong = [
      ['--nonsense'],
      ['--class', 'best'],
      ['--erp', 'excel'],
      ['--erp', 'tryton', '--class', 'settle'],
      ['--limit', '0'],
      ['--concurrency', 'x'],
      ['--postgres', 'http://x'],
      ['a.csv', 'b.csv'],
    ]
    const [help, ...refused] = await Promise.all([['--help'], ...wrong].map((args) => runReplay(...args)))
    expect(help).toMatchObject({ code: 0, stderr: '' })
    for (const { code, stdout, stderr } of refused) {
      expect({ code, stdout }, stderr).toEqual({ code: 64, stdout: '' })
      expect(stderr).toContain('npm run replay -- --help')
    }
  }, 60_000)

  it('says that a file is not there', async () => {
    const { code, stderr } = await runReplay(join(directory, 'missing.csv'))
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('missing.csv') })
  })
})
