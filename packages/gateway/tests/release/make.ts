/**
 * Makes the files of the release before: run it with the commit of a release, before the first migration after it.
 *
 *   TEST_DATABASE_URL=postgres://… node packages/gateway/tests/release/make.ts REV
 */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { findFreePort } from '../../../trials/src/free-ports.ts'
import { createFreshDatabase } from '../faults/databases.ts'
import { type ErpWithPorts, openErpWithPorts } from '../faults/erp-with-ports.ts'
import { type GatewayProcess, readJson, sendRequest, startGateway } from '../faults/processes.ts'
import { buyers, type LooseJson } from '../harness.ts'
import {
  findGoods,
  releaseChannel,
  releaseFiles,
  releaseSettings,
  releaseStyles,
  root,
  type Sources,
  unpackRelease,
} from './release.ts'

const parts = ['packages/gateway/src', 'packages/gateway/migrations', 'packages/gateway/package.json']
const maxBytes = 256 * 1024 * 1024
const orders = 12
const gzipLevel = 9

const [rev = 'HEAD'] = process.argv.slice(2)
const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: maxBytes })

/** Reads the gateway's sources of a commit, without its tests. */
function readSources(): Sources {
  const commit = git('rev-parse', `${rev}^{commit}`).trim()
  const paths = git('ls-tree', '-r', '--name-only', commit, ...parts).split('\n')
  const isWanted = (path: string) => path !== '' && !path.endsWith('.test.ts')
  const files = paths.filter(isWanted).map((path) => [path, git('show', `${commit}:${path}`)] as const)
  return { commit, files: Object.fromEntries(files) }
}

function compress(bytes: Buffer): Buffer {
  return brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
  })
}

/** Fills a database through the release's gateway: channels, orders in several states, a held preview, a webhook. */
async function fill(erp: ErpWithPorts, main: string, settings: Record<string, string>): Promise<void> {
  const dataDir = settings.DATA_DIR ?? ''
  const port = await findFreePort()
  const upstream = { UPSTREAM_URL: erp.urls[0] ?? '', UPSTREAM_TOKEN: erp.token }
  const gateway = await startGateway(
    { ...releaseSettings, ...upstream, ...settings, DATA_DIR: dataDir, PORT: String(port) },
    [],
    main,
  )
  await order(gateway)
  await gateway.stop()
}

async function order(gateway: GatewayProcess): Promise<void> {
  const { url } = gateway
  const [{ username, password, customer_code }] = buyers
  const admin = releaseSettings.ADMIN_TOKEN
  const channel = { channel_code: releaseChannel, name: 'Release before', plan: 'full', customer_code }
  await readJson(sendRequest(url, 'POST', '/admin/api/channels', { admin, body: channel }))
  const grant = { grant_type: 'password', username, password }
  const { access_token } = await readJson(sendRequest(url, 'POST', '/api/v1/auth/token', { body: grant }))
  const token = String(access_token)
  const post = async (path: string, body: object): Promise<LooseJson> =>
    (await readJson(sendRequest(url, 'POST', `/api/v1${path}`, { token, body }))).data
  const sku = await findGoods(url, token)
  const lines = [{ sku, quantity: 1 }]
  for (let number = 1; number <= orders; number++) {
    const body = { lines, warehouse_code: 'AUSYD1', client_order_number: `W-${number}` }
    const { order_id } = await post('/orders', body)
    const shipping = { shipping_method_id: 'au-standard', address_id: 'ADDR-HARBOUR-SYD' }
    if (number % 3 > 0) await post(`/orders/${order_id}/submit`, { shipping })
  }
  const recipient = {
    name: 'Kim Park',
    phone: '+61 2 5550 0000',
    address: '2 Sample Road',
    city: 'Sydney',
    state: 'NSW',
    postal_code: '2000',
    country_code: 'AU',
  }
  for (const number of ['D-1', 'D-2'])
    await post('/dropship-orders/submit', { sku, quantity: 1, recipient, client_order_number: number })
  await post('/dropship-orders/allocation-preview', {
    sku,
    quantity: 1,
    recipient,
    client_order_number: 'D-3',
  })
  await post('/reservations', { warehouse_code: 'AUSYD1', lines })
  await post('/carts', { warehouse_code: 'AUSYD1' })
}

const folder = mkdtempSync(join(tmpdir(), 'tg-release-'))
const database = await createFreshDatabase()
const accounts = buyers.map((buyer, at) => ({ ...buyer, account_id: `acc_${at}`, name: `Buyer ${at}` }))
const erp = await openErpWithPorts(1, releaseStyles, async () => {}, accounts)
try {
  const sources = readSources()
  writeFileSync(releaseFiles.sources, compress(Buffer.from(JSON.stringify(sources))))
  const main = unpackRelease(folder)
  const dataDir = mkdtempSync(join(folder, 'data-'))
  await fill(erp, main, { DATA_DIR: dataDir })
  writeFileSync(releaseFiles.sqlite, compress(readFileSync(join(dataDir, 'gateway.db'))))
  await fill(erp, main, { DATA_DIR: mkdtempSync(join(folder, 'data-')), DATABASE_URL: database.url })
  const args = ['--no-owner', '--no-privileges', `--dbname=${database.url}`]
  const dump = execFileSync('pg_dump', args, { maxBuffer: maxBytes })
  writeFileSync(releaseFiles.postgres, gzipSync(dump, { level: gzipLevel }))
  process.stdout.write(`The fixture is that of ${sources.commit}.\n`)
} finally {
  await erp.close()
  await database.drop()
  rmSync(folder, { recursive: true })
}
process.exit(0)
