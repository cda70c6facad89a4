/** What keeps a command from doing what nobody agreed to, or what another one is doing already. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { PartFile } from '../src/pull/part-file.ts'
import { type FakeGateway, openFakeGateway } from './fake-gateway.ts'
import { runInProcess } from './run-in-process.ts'

describe('a write with the credentials of the environment', () => {
  let gateway: FakeGateway
  let sent: string[]

  beforeEach(async () => {
    sent = []
    gateway = await openFakeGateway(({ method, path }) => {
      if (method === 'POST') sent.push(path)
      return { data: { sandbox: false } }
    })
  })
  afterEach(() => gateway.close())

  it('needs --yes outside a sandbox', async () => {
    const args = ['api', 'POST', '/api/v1/webhook-endpoints']
    const refused = await runInProcess(args, { env: gateway.env })
    expect(refused.code).toBe(2)
    expect(refused.err).toContain('the credentials of the environment')
    expect(sent).toEqual([])
    await runInProcess([...args, '--yes'], { env: gateway.env })
    expect(sent).toEqual(['/api/v1/webhook-endpoints'])
  })
})

describe('a download to a file', () => {
  it('is refused while a running process downloads to it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tgw-part-'))
    const path = join(folder, 'stock.csv')
    // The parent of this process runs for as long as the test.
    writeFileSync(`${path}.part.lock`, String(process.ppid))
    await expect(PartFile.open(path, undefined)).rejects.toThrow(
      `Process ${process.ppid} downloads to ${path}`,
    )
    rmSync(`${path}.part.lock`)
    await (await PartFile.open(path, undefined)).complete()
    await (await PartFile.open(path, undefined)).discard()
    rmSync(folder, { recursive: true })
  })
})
