/**
 * `npm run mcp-conformance` runs the official conformance suite against the gateway's MCP endpoint, for the newest
 * protocol revision and the previous one. The suite sends no token, so a proxy adds one to each request. Needs no
 * network.
 */

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { catalogue } from '../../src/catalogue.ts'
import { createListener } from '../../src/http/adapter.ts'
import { createGatewayServer } from '../../src/http/server.ts'
import { runPlainCommand } from '../../src/kernel/plain-command.ts'
import { createMcpPipeline } from '../../src/mcp/pipeline.ts'
import { createPipeline } from '../../src/pipeline/pipeline.ts'
import { writes } from '../../src/writes.ts'
import { createWorld, openTestGateway, type TestGateway } from '../harness.ts'
import { createFixtureServer } from './fixtures.ts'

const usage = `Usage: npm run mcp-conformance

Runs the official conformance suite against the gateway’s MCP endpoint, for two revisions. Requires no network.
Exit code 1: other tests fail than the baselines list.
`
const revisions = ['2026-07-28', '2025-11-25'] as const
const suite = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'))
const findBaseline = (revision: string) => fileURLToPath(new URL(`baseline-${revision}.yml`, import.meta.url))
const maxMs = 300_000

async function serveMcp(house: TestGateway): Promise<{ url: string; close: () => void }> {
  const { gateway } = house
  const { token } = await createWorld(house)
  const pipeline = createMcpPipeline(gateway, createPipeline(gateway, catalogue, writes), createFixtureServer)
  const listener = createListener(gateway, pipeline)
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

/** Runs the suite and returns its exit code: 0 if exactly those tests fail that the baseline lists. */
function runConformance(url: string, revision: string, results: string): Promise<number> {
  const options = ['--requirements', revision, '--expected-failures', findBaseline(revision), '-o', results]
  const child = spawn(process.execPath, [suite, 'server', '--url', url, ...options], { stdio: 'inherit' })
  const timer = setTimeout(() => child.kill(), maxMs)
  return new Promise((resolve) => {
    child.once('exit', (code) => {
      clearTimeout(timer)
      resolve(code ?? 1)
    })
  })
}

async function runAll(): Promise<number> {
  const house = await openTestGateway()
  const server = await serveMcp(house)
  const results = mkdtempSync(join(tmpdir(), 'mcp-conformance-'))
  const codes: number[] = []
  for (const revision of revisions) codes.push(await runConformance(server.url, revision, results))
  server.close()
  await house.close()
  rmSync(results, { recursive: true, force: true })
  return codes.every((code) => code === 0) ? 0 : 1
}

await runPlainCommand(usage, runAll)
