import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generateOrders } from '../src/generate-orders.ts'

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
      const orders = join(directory, 'orders.csv')
      const otherDate = '700000,20000,MUG,1,12/1/2010 8:26,1.00,,Australia\n'
      await writeFile(orders, generateOrders() + otherDate)
      const { stdout, stderr, code } = await runReplay(orders, '--limit', '60', '--report', file)
      expect(stdout, stderr).toMatch(/^Verdict {7}the guarantees of class "dedupe" hold$/m)
      expect(code).toBe(0)
      const report = JSON.parse(await readFile(file, 'utf8'))
      expect(report).toMatchObject({ kept: true, orders: 60, erp_documents: 60, faults: false, findings: [] })
      expect(report.outcomes).toEqual({ confirmed: 60 })
      expect(report.proofs).toBeGreaterThan(0)
      expect(stdout).toContain('- 1 lines left out: the InvoiceDate is not like 2010-12-01 08:26:00')
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
      ['--history', '/missing/h'],
      ['--report', directory],
      ['a.csv', 'b.csv'],
    ]
    const [help, ...refused] = await Promise.all([['--help'], ...wrong].map((args) => runReplay(...args)))
    expect(help).toMatchObject({ code: 0, stderr: '' })
    for (const { code, stdout, stderr } of refused) {
      expect({ code, stdout }, stderr).toEqual({ code: 64, stdout: '' })
      expect(stderr).toContain('npm run replay -- --help')
    }
  }, 60_000)

  it('changes nothing and starts nothing if there is no order to place', async () => {
    const precious = join(directory, 'precious')
    const header = 'InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country\n'
    const files = {
      'missing.csv': [undefined, 'There is no file '],
      'header.csv': [header, 'header.csv has no order lines below its header.'],
      'dates.csv': [
        `${header}1,20000,MUG,2,12/1/2010 8:26,1.00,1,Australia\n`,
        'Lines left out: 1 (the InvoiceDate is not like 2010-12-01 08:26:00).',
      ],
      'cut.csv.gz': [gzipSync(header).subarray(0, 20), 'cut.csv.gz cannot be unpacked: '],
    } as const
    await writeFile(precious, 'kept')
    const tried = Object.entries(files).map(async ([name, [content, message]]) => {
      const file = join(directory, name)
      if (content !== undefined) await writeFile(file, content)
      const { stdout, stderr, code } = await runReplay(file, '--history', precious)
      expect({ code, stdout }, stderr).toEqual({ code: 64, stdout: '' })
      expect(stderr).toContain(message)
      expect(stderr).toContain(file)
      expect(stderr).not.toContain('Starting')
    })
    await Promise.all(tried)
    expect(await readFile(precious, 'utf8')).toBe('kept')
  }, 60_000)

  it('says that PostgreSQL cannot be reached, and keeps the file of its history', async () => {
    const kept = join(directory, 'kept')
    await writeFile(kept, 'kept')
    // Nothing listens on port 1 here.
    const url = 'postgres://postgres@127.0.0.1:1/postgres'
    const { stderr, code } = await runReplay('--postgres', url, '--history', kept)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^PostgreSQL cannot be reached at 127\.0\.0\.1:1: .*, or correct --postgres\.\n$/m)
    expect(await readFile(kept, 'utf8')).toBe('kept')
    expect(await listLeftovers()).toEqual([])
  }, 60_000)

  it('ends quietly and leaves nothing behind if nobody reads what it prints', async () => {
    const child = startReplay()
    child.stderr.destroy()
    const closed = new Promise((resolve) => child.once('close', resolve))
    expect({ stdout: await text(child.stdout), code: await closed }).toEqual({ stdout: '', code: 141 })
    expect(await listLeftovers()).toEqual([])
  }, 60_000)
})
