import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FakeResponse, openFakeGateway } from './fake-gateway.ts'

/** The tests run the real command against a gateway with scripted responses. */
const commandFile = fileURLToPath(import.meta.resolve('../src/statement/command.ts'))
const secret = 'a-secret-of-the-test'
let directory = ''
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'statement-test-'))
})
afterAll(() => rm(directory, { recursive: true }))

async function run(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [commandFile, ...args], {
    env: { DATA_DIR: join(directory, 'nothing'), NODE_NO_WARNINGS: '1', ...env },
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
  })
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), closed])
  return { out, err, code }
}

const as_of = '2026-11-20T00:00:00.000Z'
const envelope = { page: 1, page_size: 200, as_of }
const createTransaction = (number: number, amount: number, balance_after: number) => ({
  ...{ transaction_id: `trx_${number}`, occurred_at: `2026-11-1${number}T00:00:00.000Z`, type: 'topup' },
  ...{ amount, currency: 'AUD', balance_after, reference_type: null, reference_id: null, bill_id: null },
})
const createList = (data: unknown[], more: object = {}): FakeResponse => ({
  body: { ...envelope, has_more: false, data, ...more },
})
const createBalances = (opening_balance: number, closing_balance: number) => ({
  balances: [{ currency: 'AUD', opening_balance, closing_balance }],
})
/**
 * Creates two pages of transactions, after a request for the current time. `between` is the balance at the page
 * boundary.
 */
const createResponses = (between: number): FakeResponse[] => [
  createList([createTransaction(2, 2.2, 3.3)], { has_more: true, ...createBalances(1.1, 3.3) }),
  createList([createTransaction(2, 2.2, 3.3)], { has_more: true, ...createBalances(1.1, 3.3) }),
  createList([createTransaction(1, 1.1, between)], createBalances(0, between)),
  createList([]),
  createList([]),
  createList([]),
  createList([{ currency: 'AUD', balance: 3.3, updated_at: '2026-11-12T00:00:00.000Z' }]),
]

describe('npm run statement', () => {
  it('reads every page as of the first one, checks the period, prints a report and never the secret', async () => {
    const gateway = await openFakeGateway(createResponses(1.1))
    const file = join(directory, 'proof.json')
    const args = ['--base-url', gateway.base_url, '--client-id', 'shop', '--json', file]
    const { out, err, code } = await run(args, { TGW_CLIENT_SECRET: secret })
    await gateway.close()
    expect(err).toBe('')
    expect(out).toMatch(/^Verdict {7}the statement is consistent$/m)
    expect(out).toMatch(/^AUD {11}0\.00 AUD and 2 transactions give 3\.30 AUD$/m)
    expect(code).toBe(0)
    const pinned = `&as_of=${encodeURIComponent(as_of)}`
    const span = 'start_date=2026-10-22&end_date=2026-11-20&page_size=200'
    expect(gateway.asked.slice(0, 4)).toEqual([
      '/api/v1/transactions?page_size=1',
      `/api/v1/transactions?${span}&page=1`,
      `/api/v1/transactions?${span}&page=2${pinned}`,
      `/api/v1/bills?${span}&page=1`,
    ])
    const report = await readFile(file, 'utf8')
    expect(JSON.parse(report)).toMatchObject({ holds: true, transactions: 2, pages: 2, differences: [] })
    expect(`${out}${report}`).not.toContain(secret)
  })

  it('reports the differences and exits with 1', async () => {
    const gateway = await openFakeGateway(createResponses(1.2))
    const { out, code } = await run(['--base-url', gateway.base_url, '--username', 'buyer'], {
      TGW_PASSWORD: secret,
    })
    await gateway.close()
    expect(out).toContain('INCONSISTENT')
    expect(out).toContain('trx_2: 330 AUD minor units after it, not 340 AUD minor units')
    expect(code).toBe(1)
  })

  it('reads all settings from the file of the sandbox by default', async () => {
    const gateway = await openFakeGateway(createResponses(1.1))
    const data = join(directory, 'data')
    await mkdir(data)
    const file = { base_url: gateway.base_url, client_id: 'sandbox', client_secret: secret }
    await writeFile(join(data, 'sandbox.json'), JSON.stringify(file))
    expect((await run(['--from', '2026-11-01', '--to', '2026-11-30'], { DATA_DIR: data })).code).toBe(0)
    await gateway.close()
    expect(gateway.asked[1]).toContain('start_date=2026-11-01&end_date=2026-11-30')
  })

  it('says that the gateway refuses, with exit 1', async () => {
    const gateway = await openFakeGateway([{ status: 403, body: { error: { code: 'SCOPE_DENIED' } } }])
    const args = ['--base-url', gateway.base_url, '--client-id', 'shop']
    const { err, code } = await run(args, { TGW_CLIENT_SECRET: secret })
    await gateway.close()
    expect({ err, code }).toMatchObject({ err: expect.stringContaining('SCOPE_DENIED'), code: 1 })
  })

  it('helps, and says what is wrong with its arguments with exit 64', { timeout: 60_000 }, async () => {
    expect(await run(['--help'])).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(/TGW_CLIENT_SECRET.*amounts in minor units/s),
    })
    const url = ['--base-url', 'http://127.0.0.1:1']
    const wrong = [
      ['--nonsense'],
      ['--client-secret', secret],
      ['--from', '2026-13-01'],
      ['--from', '2026-11-02', '--to', '2026-11-01'],
      ['--from', '2025-11-01', '--to', '2026-11-02'],
      ['--base-url', 'ftp://x', '--client-id', 'shop'],
      [...url, '--client-id', 'shop', '--username', 'buyer'],
      [...url, '--client-id', 'shop'],
      url,
    ]
    for (const { out, err, code } of await Promise.all(wrong.map((args) => run(args)))) {
      expect({ out, code }, err).toEqual({ out: '', code: 64 })
      expect(err).toContain('npm run statement -- --help')
    }
  })

  it('refuses a file that cannot be written before it calls the gateway', async () => {
    const gateway = await openFakeGateway(createResponses(1.1))
    const args = ['--base-url', gateway.base_url, '--client-id', 'shop', '--json', directory]
    const { out, err, code } = await run(args, { TGW_CLIENT_SECRET: secret })
    await gateway.close()
    expect({ out, code, asked: gateway.asked }).toEqual({ out: '', code: 64, asked: [] })
    expect(err).toContain(`--json cannot write "${directory}": it is a folder.`)
  })
})
