/** `npm run audit`: what it prints and its exit codes, beside a running gateway and without one. */

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseEnv } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findFreePort } from '../../trials/src/free-ports.ts'
import { type GatewayProcess, launchGateway } from './faults/processes.ts'

const command = join(import.meta.dirname, '../src/audit-command.ts')
let directory: string
let port: number
let gateway: GatewayProcess

function runCommand(args: readonly string[], settings: Record<string, string> = {}) {
  const env = { DATA_DIR: directory, PORT: String(port), ...settings }
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    cwd: directory,
    env,
    encoding: 'utf8',
    timeout: 60_000,
  })
  return { status, stdout, stderr }
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'trade-gateway-audit-command-'))
  const free = await findFreePort()
  port = free
  gateway = launchGateway({ DATA_DIR: directory, PORT: String(port) })
  await gateway.waitUntilReady()
  const { ADMIN_TOKEN = '' } = parseEnv(readFileSync(join(directory, 'settings.env'), 'utf8'))
  for (let made = 0; made < 3; made++)
    await fetch(`${gateway.url}/admin/api/channels`, { headers: { 'x-admin-token': ADMIN_TOKEN } })
})
afterAll(async () => {
  await gateway.kill()
  rmSync(directory, { recursive: true, force: true })
})

describe('npm run audit', () => {
  it('explains itself, and ends with 64 for wrong usage', () => {
    expect(runCommand(['--help'])).toMatchObject({ status: 0, stdout: expect.stringContaining('Usage:') })
    for (const args of [
      [],
      ['mend'],
      ['verify', '--none'],
      ['verify', '--noted', '1'],
      ['verify', '--url', 'x'],
    ])
      expect(runCommand(args), args.join(' ')).toMatchObject({ status: 64, stdout: '' })
  })

  it('ends with 78 for a configuration that is not valid', () => {
    expect(runCommand(['verify'], { PORT: 'x' })).toMatchObject({ status: 78, stdout: '' })
    expect(runCommand(['verify'], { ADMIN_TOKEN: 'x'.repeat(40) }).stderr).toContain('401')
    expect(runCommand(['verify'], { ADMIN_TOKEN: 'x'.repeat(40) }).status).toBe(78)
  })

  it('asks the running gateway, and reads the database once it has stopped', async () => {
    expect(runCommand(['verify']), 'beside the gateway').toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^The audit log is intact: \d+ rows\.\n$/),
    })
    await gateway.stop()
    expect(runCommand(['verify']), 'without the gateway').toMatchObject({ status: 0 })
    const noted = `99:${'A'.repeat(43)}`
    expect(runCommand(['verify', '--noted', noted])).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('removed at the end'),
    })
    const database = new DatabaseSync(join(directory, 'gateway.db'))
    database.exec("update admin_audit set actor = 'nobody' where number = 2")
    database.close()
    expect(runCommand(['verify'])).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('Row 2 (aud_'),
    })
    const again = new DatabaseSync(join(directory, 'gateway.db'))
    again.exec('update admin_audit set at = 9100000000000000000 where number = 1')
    again.close()
    expect(runCommand(['verify']), 'with a number that JavaScript cannot hold').toMatchObject({
      status: 1,
      stdout: expect.stringContaining('Row 1 (aud_'),
    })
  })
})
