/** A first start while the ERP is unreachable: checks the log lines that an operator sees. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findFreePorts } from '../../trials/src/free-ports.ts'
import { type GatewayProcess, launchGateway, sendRequest, waitUntil } from './faults/processes.ts'

const startMs = 30_000
const observedMs = 4_000

describe('a first start whose ERP cannot be reached', () => {
  let folder: string
  let gateway: GatewayProcess

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tg-away-'))
    const [port = 0, nobody = 0] = await findFreePorts(2)
    gateway = launchGateway({
      DATA_DIR: folder,
      PORT: String(port),
      UPSTREAM_URL: `http://user:password@127.0.0.1:${nobody}`,
      UPSTREAM_TOKEN: 'a-token-for-tests',
      SYNC_INTERVAL_MS: '50',
    })
  }, startMs)
  afterAll(async () => {
    await gateway.kill()
    rmSync(folder, { recursive: true })
  })

  it('is one plain sentence in the log, not one for each try, and a verdict in /statusz', async () => {
    const readStatus = () => sendRequest(gateway.url, 'GET', '/statusz').catch(() => undefined)
    await waitUntil(
      async () => (await readStatus())?.json.data.upstream.verdict === 'does_not_answer',
      startMs,
    )
    const began = performance.now()
    await waitUntil(() => performance.now() - began > observedMs, startMs)
    const lines = gateway
      .readOutput()
      .split('\n')
      .filter((line) => line.startsWith('{'))
    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0] ?? '').msg).toMatch(
      /^the ERP at 127\.0\.0\.1:\d+ \(UPSTREAM_URL\) does not respond \(no connection\): stock is served/,
    )
    expect(gateway.readOutput()).not.toContain('password')
    const { upstream } = (await readStatus())?.json.data ?? {}
    expect(upstream).toMatchObject({ verdict: 'does_not_answer', last_answer_seconds: null })
  }, 60_000)
})
