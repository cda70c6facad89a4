import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { maxMovementBytes } from './movements-csv.ts'
import { type RunningErp, type ServeSettings, serve } from './serve.ts'

const mainFile = fileURLToPath(import.meta.resolve('./main.ts'))
const token = 'a token of the test'
let directory = ''
let settings: ServeSettings
let erp: RunningErp

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sandbox-controls-'))
  const catalogue = join(directory, 'goods.csv')
  await writeFile(catalogue, 'sku,name,price_wholesale,quantity\nMUG,Mug,2.50,10\nTIN,Tin,4,5\n')
  settings = {
    port: 0,
    database: join(directory, 'erp.db'),
    catalogue,
    seed: 1,
    activity: 0,
    token,
    accounts: [],
  }
  erp = await serve(settings)
})
afterAll(async () => {
  await erp.close()
  await rm(directory, { recursive: true })
})

async function post(
  body: string | Uint8Array,
  headers: Record<string, string> = {},
  path = '/sandbox/movements',
  url = erp.url,
) {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv', ...headers },
    body,
  })
  return { status: response.status, json: await response.json() }
}

const stockAnswer = z.object({ ok: z.object({ rows: z.tuple([z.object({ quantity_on_hand: z.int() })]) }) })

async function readOnHand(sku: string): Promise<number> {
  const body = JSON.stringify({ warehouse_code: 'AUSYD1', skus: [sku] })
  const { json } = await post(body, { 'content-type': 'application/json' }, '/stock.read')
  return stockAnswer.parse(json).ok.rows[0].quantity_on_hand
}

describe('POST /sandbox/movements', () => {
  it('responds with the applied and left-out rows and the counters', async () => {
    const { status, json } = await post('warehouse_code,sku,quantity\nAUSYD1,MUG,-4\nAUSYD1,MUG,-40\n')
    expect(status).toBe(200)
    expect(json).toEqual({
      applied: 1,
      left_out: [{ line: 3, sku: 'MUG', reason: 'only 6 on hand, not 40' }],
      stock_seq: { AUSYD1: expect.any(Number) },
    })
    expect(await readOnHand('MUG')).toBe(6)
  })

  it('refuses a missing or wrong token and a body that is not CSV', async () => {
    const csv = 'warehouse_code,sku,quantity\nAUSYD1,TIN,1\n'
    expect((await post(csv, { authorization: '' })).status).toBe(401)
    expect((await post(csv, { authorization: `Bearer ${token}x` })).status).toBe(401)
    expect((await post(csv, { 'content-type': 'application/json' })).status).toBe(415)
    expect((await post(csv, {}, '/sandbox/other')).status).toBe(404)
    expect((await post('sku,quantity\n')).status).toBe(400)
    expect((await post(Buffer.alloc(maxMovementBytes + 1, 'x'))).status).toBe(413)
    expect(await readOnHand('TIN')).toBe(5)
  })

  it('responds after the commit: a kill right after the response loses nothing', async () => {
    const before = await readOnHand('TIN')
    await erp.close()
    const child = spawn(process.execPath, [mainFile, ...listMainArguments()], {
      env: { UPSTREAM_TOKEN: token },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'exit')
    const url = await findAddress(child.stdout)
    const maxBatches = 20
    for (let batch = 0; batch < maxBatches; batch++) {
      const { status } = await post(
        'warehouse_code,sku,quantity\nAUSYD1,TIN,1\n',
        {},
        '/sandbox/movements',
        url,
      )
      expect(status).toBe(200)
    }
    child.kill('SIGKILL')
    await ended
    erp = await serve(settings)
    expect(await readOnHand('TIN')).toBe(before + maxBatches)
  })
})

function listMainArguments(): string[] {
  const { database, catalogue = '' } = settings
  return ['--port', '0', '--activity', '0', '--database', database, '--catalogue', catalogue]
}

/** Keeps reading after the address was printed, because a closed pipe would end the child. */
function findAddress(output: Readable): Promise<string> {
  let said = ''
  return new Promise((resolve, reject) => {
    output.setEncoding('utf8').on('data', (text: string) => {
      said += text
      const [address] = /http:\/\/\S+(?=\n)/.exec(said) ?? []
      if (address !== undefined) resolve(address)
    })
    output.once('end', () => reject(new Error(`The sandbox ERP printed no address: ${said}`)))
  })
}

describe('movements at the start', () => {
  it('are applied before the ERP responds, and report what was left out', async () => {
    const movements = join(directory, 'movements.csv')
    await writeFile(movements, 'warehouse_code,sku,quantity\nAUSYD1,MUG,100\nAUSYD1,NOPE,1\n')
    const before = await readOnHand('MUG')
    await erp.close()
    erp = await serve({ ...settings, movements })
    expect(erp.moved).toMatchObject({ applied: 1, left_out: [{ line: 3, sku: 'NOPE' }] })
    expect(await readOnHand('MUG')).toBe(before + 100)
  })
})
