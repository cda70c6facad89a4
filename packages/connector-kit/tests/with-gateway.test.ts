import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { runWithGateway } from '../src/with-gateway.ts'

const connector = (code: number) => `
const port = process.argv[process.argv.indexOf('--port') + 1]
if (${code} !== 0) process.exit(${code})
require('node:http').createServer((_, response) => response.writeHead(401).end()).listen(port, '127.0.0.1')
`
const gateway = (out: string) => `
const { UPSTREAM_URL, UPSTREAM_TOKEN, ADMIN_TOKEN } = process.env
require('node:fs').writeFileSync(${JSON.stringify(out)}, JSON.stringify({ UPSTREAM_URL, UPSTREAM_TOKEN, ADMIN_TOKEN }))
process.exit(9)
`

/** Asks this process to stop, and takes its time to end. Then it writes whether its connector still responds. */
const slowGateway = (out: string) => `
process.once('SIGTERM', () => setTimeout(async () => {
  const isThere = await fetch(process.env.UPSTREAM_URL).then(() => true, () => false)
  require('node:fs').writeFileSync(${JSON.stringify(out)}, JSON.stringify({ isThere }))
  process.exit(0)
}, 500))
process.kill(process.ppid, 'SIGTERM')
setInterval(() => undefined, 1_000)
`

const env = { ...process.env, ADMIN_TOKEN: 'known-to-the-operator' }

interface Files {
  readonly connectorFile: string
  readonly gatewayFile: string
  readonly parentFile: string
  readonly out: string
}

/** Calls back with the names of files in a folder of their own, and a free port. */
async function withFiles<T>(use: (files: Files, port: number) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'trade-gateway-pair-'))
  const files = {
    connectorFile: join(folder, 'connector.cjs'),
    gatewayFile: join(folder, 'gateway.cjs'),
    parentFile: join(folder, 'parent.mjs'),
    out: join(folder, 'out.json'),
  }
  try {
    return await use(files, await findFreePort())
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const run = (connectorCode: number, createGateway = gateway) =>
  withFiles(async ({ connectorFile, gatewayFile, out }, port) => {
    await writeFile(connectorFile, connector(connectorCode))
    await writeFile(gatewayFile, createGateway(out))
    const code = await runWithGateway({ connectorFile, port, env, gateway: gatewayFile })
    return { code, port, seen: await readFile(out, 'utf8').catch(() => undefined) }
  })

const toSource = (name: string) => JSON.stringify(join(import.meta.dirname, '../src', name))

/** A connector as those of real systems are. */
const realConnector = `
import(${toSource('connector-command.ts')}).then(({ runConnectorCommand }) =>
  runConnectorCommand({
    name: 'Test',
    usage: '',
    defaultPort: 0,
    async serve({ port }) {
      const server = require('node:http').createServer((_, response) => response.writeHead(401).end())
      await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve))
      return { url: '', close: async () => server.close() }
    },
  }),
)
`

/** Runs both in a process group of their own, and returns what the gateway saw. */
const runGroup = (createGateway: (out: string) => string) =>
  withFiles(async (files, port) => {
    const { connectorFile, gatewayFile, parentFile, out } = files
    await writeFile(connectorFile, realConnector)
    await writeFile(gatewayFile, createGateway(out))
    const pair = JSON.stringify({ connectorFile, port, gateway: gatewayFile })
    await writeFile(
      parentFile,
      `import { runWithGateway } from ${toSource('with-gateway.ts')}
       process.exitCode = await runWithGateway({ ...${pair}, env: process.env })`,
    )
    const parent = spawn(process.execPath, [parentFile], { env, detached: true, stdio: 'ignore' })
    await once(parent, 'exit')
    return vi.waitFor(async () => JSON.parse(await readFile(out, 'utf8')), { timeout: 10_000 })
  })

/** Acts as soon as it runs, and waits. Then it writes whether its connector still responds, and ends. */
const watchingGateway = (act: string) => (out: string) =>
  `
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
setTimeout(async () => {
  const isThere = await fetch(process.env.UPSTREAM_URL).then(() => true, () => false)
  require('node:fs').writeFileSync(${JSON.stringify(out)}, JSON.stringify({ isThere }))
  process.exit(0)
}, 1_000)
${act}
`

async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}

it('a gateway starts when its connector listens, with the same token, and the connector ends with it', async () => {
  const { code, port, seen } = await run(0)
  expect(code).toBe(9)
  expect(JSON.parse(seen ?? '')).toEqual({
    UPSTREAM_URL: `http://127.0.0.1:${port}`,
    UPSTREAM_TOKEN: expect.stringMatching(/^[\w-]{32}$/),
    ADMIN_TOKEN: 'known-to-the-operator',
  })
})

it('no gateway starts if the connector ends, whose exit code is passed on', async () => {
  expect(await run(78)).toMatchObject({ code: 78, seen: undefined })
})

it('a connector responds until its gateway has ended', async () => {
  const { code, seen } = await run(0, slowGateway)
  expect(code).toBe(0)
  expect(JSON.parse(seen ?? '')).toEqual({ isThere: true })
})

it('a connector responds until its gateway has ended, also after Ctrl-C', async () => {
  expect(await runGroup(watchingGateway("process.kill(0, 'SIGINT')"))).toEqual({ isThere: true })
})

it('a connector ends if the process that started it is killed', async () => {
  const kill = "process.kill(process.ppid, 'SIGKILL')"
  expect(await runGroup(watchingGateway(kill))).toEqual({ isThere: false })
})
