import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
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

async function run(connectorCode: number, createGateway = gateway) {
  const folder = await mkdtemp(join(tmpdir(), 'trade-gateway-pair-'))
  const [connectorFile, gatewayFile, out] = ['connector.cjs', 'gateway.cjs', 'out.json'].map((name) =>
    join(folder, name),
  ) as [string, string, string]
  await writeFile(connectorFile, connector(connectorCode))
  await writeFile(gatewayFile, createGateway(out))
  const port = await findFreePort()
  try {
    const env = { ...process.env, ADMIN_TOKEN: 'known-to-the-operator' }
    const code = await runWithGateway({ connectorFile, port, env, gateway: gatewayFile })
    return { code, port, seen: await readFile(out, 'utf8').catch(() => undefined) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

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
