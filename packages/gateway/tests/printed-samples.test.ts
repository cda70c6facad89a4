/**
 * The samples of the reference, as printed: those of curl, the SDK, the command line and MCP run against a gateway on the
 * sandbox, and the compiler checks those of the SDK.
 */

import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runInProcess } from '../../cli/tests/run-in-process.ts'
import { TradeGateway } from '../../sdk/src/index.ts'
import { catalogue } from '../src/catalogue.ts'
import type { DocumentedEndpoint } from '../src/endpoint.ts'
import { toCli } from '../src/pages/reference/cli-sample.ts'
import { listPanes, type Pane } from '../src/pages/reference/rail.ts'
import { toMcpCall, toSample } from '../src/pages/reference/samples.ts'
import { toSdk } from '../src/pages/reference/sdk-sample.ts'
import { documentedEndpoints } from '../src/projections/openapi.ts'
import { postToMcp } from './agent.ts'
import { serveSandboxControls } from './examples/sandbox-server.ts'
import { adminToken, buyers, openTestGateway, signInBuyer, type TestGateway } from './harness.ts'
import { type LossSwitch, loseSubmits, makeValues } from './sample-values.ts'
import { type Buyer, openShop } from './trade.ts'

const run = promisify(execFile)
/** A module with `await` at its top level, without the import of its first line. */
const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor
const root = join(import.meta.dirname, '../../..')

const loss: LossSwitch = { isLossy: false }
let house: TestGateway
let controls: { close(): void }
let shop: Buyer
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trade-gateway-printed-'))
  house = await openTestGateway({
    styles: 160,
    wrapErp: (erp) => loseSubmits(erp, loss),
    // The operator's backup copies a file.
    databaseFile: join(folder, 'gateway.db'),
    settings: { DATA_DIR: folder },
  })
  controls = await serveSandboxControls(house)
  await signInBuyer(house)
  shop = openShop(house)
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await mkdir(join(folder, 'samples'))
})
afterAll(async () => {
  controls.close()
  await house.close()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

interface Printed {
  readonly code: string
  readonly endpoint: DocumentedEndpoint
  readonly values: Readonly<Record<string, string>>
}

const { PATH = '' } = process.env

/** Runs a sample, and checks that it succeeds. */
const runners: Readonly<Record<Pane['title'], (printed: Printed) => Promise<void>>> = {
  async curl({ code, endpoint, values }) {
    const script = `set -u; ${code} -w '\\n%{http_code}'`
    const { stdout } = await run('bash', ['-c', script], { env: { PATH, ...values } })
    const [status = ''] = stdout.split('\n').slice(-1)
    expect(`${status} ${stdout.slice(0, 300)}`).toMatch(new RegExp(`^${endpoint.status ?? 200} `))
  },
  async TypeScript({ code, values }) {
    const [imported = '', ...lines] = code.split('\n')
    expect(imported).toBe("import { TradeGateway } from '@trade-gateway/sdk'")
    const rows: unknown[] = []
    const module: unknown = new AsyncFunction('TradeGateway', 'process', 'console', lines.join('\n'))
    if (typeof module !== 'function') throw new Error('no function')
    await module(TradeGateway, { env: values }, { log: (row: unknown) => rows.push(row) })
    expect(rows.every((row) => row !== undefined)).toBe(true)
  },
  async CLI({ code, values }) {
    // The shell splits the words; a function stands for the program.
    const script = `tgw() { printf '%s\\0' "$@"; cat >&2; }\n${code.includes('<<') ? code : `${code} </dev/null`}`
    const { stdout, stderr } = await run('bash', ['--norc', '-c', script], { env: { PATH, ...values } })
    const home = await mkdtemp(join(folder, 'home-'))
    const { username, password } = buyers[0]
    const account = { TGW_USERNAME: username, TGW_PASSWORD: password, TGW_ADMIN_TOKEN: adminToken }
    const env = { HOME: home, TGW_BASE_URL: house.url, ...account }
    const { code: exitCode, err } = await runInProcess(stdout.split('\0').slice(0, -1), {
      env,
      input: stderr,
    })
    expect(exitCode, `${code}\n${err}`).toBe(0)
  },
  async MCP({ code, endpoint, values }) {
    const raw = code.replace(/\$([A-Z_]+)/g, (whole, name: string) => values[name] ?? whole)
    const headers = { accept: 'application/json, text/event-stream' }
    const { text } = await postToMcp(house, { raw, headers, token: await signInBuyer(house) })
    // The response is one event of a stream.
    const [, message = '{}'] = /^data: (.*)$/m.exec(text) ?? []
    const { result = { isError: true } } = JSON.parse(message)
    const status = endpoint.isProtocol ? 200 : result?.structuredContent?.status
    expect({ status, isError: result?.isError ?? false }, text.slice(0, 300)).toEqual({
      status: endpoint.status ?? 200,
      isError: false,
    })
  },
}

const named = (endpoints: readonly DocumentedEndpoint[]) =>
  endpoints.map((endpoint) => [endpoint.id, endpoint] as const)

describe.each(named(documentedEndpoints))('%s', (_id, endpoint) => {
  const panes = listPanes(endpoint, toSample(endpoint)).map((pane) => [pane.title, pane.code] as const)

  it.each(panes)('has a sample for %s that runs as printed', async (title, code) => {
    await runners[title]({ code, endpoint, values: await makeValues(shop, loss, endpoint, code) })
  })
})

const calls = documentedEndpoints.filter(({ access, isProtocol }) => access !== 'admin' && !isProtocol)

describe('the SDK’s samples', () => {
  it('are accepted by the compiler, one for each endpoint of the contract', async () => {
    const options = {
      noEmit: true,
      strict: true,
      noUnusedLocals: true,
      module: 'nodenext',
      target: 'esnext',
      types: ['node'],
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      erasableSyntaxOnly: true,
    }
    for (const endpoint of calls)
      await writeFile(
        join(folder, 'samples', `${endpoint.id}.mts`),
        toSdk(endpoint, toSample(endpoint)) ?? '',
      )
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: options, include: ['samples'] }),
    )
    const tsc = join(root, 'node_modules/.bin/tsc')
    const { stdout } = await run(tsc, ['-p', folder]).catch((error: { stdout: string }) => error)
    expect(stdout).toBe('')
    expect(catalogue.filter((endpoint) => !toSdk(endpoint, toSample(endpoint)))).toEqual([])
  })
})

describe('samples', () => {
  it('are there as a command for every call of a channel, and for MCP for the contract’s', () => {
    const bearers = documentedEndpoints.filter(({ access }) => access === 'bearer')
    expect(bearers.filter((endpoint) => !toCli(endpoint, toSample(endpoint)))).toEqual([])
    const reached = catalogue.filter((endpoint) => toMcpCall(toSample(endpoint)))
    expect(catalogue.filter((endpoint) => !reached.includes(endpoint)).map(({ id }) => id)).toEqual([
      'auth.token',
    ])
  })
})

describe('a sample', () => {
  it('presets nothing that ends more than the one thing that it is about', () => {
    for (const endpoint of documentedEndpoints) {
      const text = JSON.stringify([toSample(endpoint).body ?? null, toSample(endpoint).query])
      expect(text, endpoint.id).not.toMatch(/"all":true|"confirm\w*":true|"force\w*":true/)
    }
    expect(adminToken).not.toBe('')
  })
})
