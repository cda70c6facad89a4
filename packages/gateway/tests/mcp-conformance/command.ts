import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { catalogue, writes } from '../../src/catalogue.ts'
import { doorListener } from '../../src/http/adapter.ts'
import { createDoor } from '../../src/http/answer.ts'
import { createGatewayServer } from '../../src/http/server.ts'
import { createMcpDoor } from '../../src/mcp/door.ts'
import { type House, openHouse, world } from '../harness.ts'
import { fixtureServerFor } from './fixtures.ts'

/**
 * `npm run mcp-conformance`: the official suite against the gateway's own door, for the newest revision and for the
 * one before it. It asks without a token, so one is put before each of its requests. Needs no network.
 */
const revisions = ['2026-07-28', '2025-11-25'] as const
const suite = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'))
const baseline = (revision: string) => fileURLToPath(new URL(`baseline-${revision}.yml`, import.meta.url))
const mostMs = 300_000

async function serve(house: House): Promise<{ url: string; close: () => void }> {
  const { gateway } = house
  const { token } = await world(house)
  const door = createMcpDoor(gateway, createDoor(gateway, catalogue, writes), fixtureServerFor)
  const listener = doorListener(gateway, door)
  const server = createGatewayServer(gateway, (request, response) => {
    request.headersDistinct.authorization = [`Bearer ${token}`]
    listener(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** The suite's exit code: 0 where only what the baseline names fails, and all of it still does. */
function conforms(url: string, revision: string, results: string): Promise<number> {
  const options = ['--requirements', revision, '--expected-failures', baseline(revision), '-o', results]
  const child = spawn(process.execPath, [suite, 'server', '--url', url, ...options], { stdio: 'inherit' })
  const timer = setTimeout(() => child.kill(), mostMs)
  return new Promise((resolve) => {
    child.once('exit', (code) => {
      clearTimeout(timer)
      resolve(code ?? 1)
    })
  })
}

const house = await openHouse()
const server = await serve(house)
const results = mkdtempSync(join(tmpdir(), 'mcp-conformance-'))
const codes: number[] = []
for (const revision of revisions) codes.push(await conforms(server.url, revision, results))
server.close()
await house.close()
rmSync(results, { recursive: true, force: true })
process.exitCode = codes.every((code) => code === 0) ? 0 : 1
