/** What the program prints: the log on standard output, texts for people on standard error. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { StartedProcess } from '../../trials/src/child-process.ts'
import { logFieldNames } from '../src/kernel/log.ts'
import { root } from './floors.ts'

const mainFile = join(import.meta.dirname, '../src/main.ts')
const timeoutMs = 60_000
let directory: string
let child: StartedProcess
let lines: string[]

/** Reads a value of the file for scripts that use the sandbox. */
const readSandbox = (): Record<string, string | number> =>
  JSON.parse(readFileSync(join(directory, 'data/sandbox.json'), 'utf8'))

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'trade-gateway-output-'))
  child = new StartedProcess({
    name: 'The gateway',
    args: [mainFile],
    cwd: directory,
    env: { DATA_DIR: join(directory, 'data'), PORT: '0', SANDBOX_STYLES: '10', LOG_LEVEL: 'debug' },
  })
  await child.waitForText('Trade Gateway is ready at', 'stderr', { timeoutMs })
  const { base_url, erp_pid } = readSandbox()
  await fetch(`${base_url}/api/v1/auth/token`, { method: 'POST', body: '{}' })
  // A request is logged after its response.
  await child.waitForText('"route":"/api/v1/auth/token"', 'stdout', { timeoutMs })
  process.kill(Number(erp_pid), 'SIGKILL')
  await child.waitForText('is restarted', 'stdout', { timeoutMs })
  await child.stop()
  lines = child.readFirstOutput('stdout').trimEnd().split('\n')
}, timeoutMs * 2)

afterAll(async () => {
  await child.kill()
  rmSync(directory, { recursive: true, force: true })
})

describe('standard output', () => {
  it('is one JSON object a line, from the start of the program to its end', () => {
    expect(lines.length).toBeGreaterThanOrEqual(2)
    for (const line of lines) {
      const parsed: Record<string, unknown> = JSON.parse(line)
      expect(parsed).toMatchObject({
        level: expect.any(String),
        time: expect.any(Number),
        msg: expect.any(String),
      })
    }
    expect(lines.some((line) => line.includes('"route":"/api/v1/auth/token"'))).toBe(true)
  })

  it('has the documented fields only', () => {
    const page = readFileSync(join(root, 'docs/en/monitor.md'), 'utf8')
    const section = page.slice(page.indexOf('## Logs'), page.indexOf('## Upgrades'))
    const table = section.split('\n').filter((line) => line.startsWith('| `'))
    const documented = table.flatMap((line) => (line.split('|')[1] ?? '').match(/\w+/g) ?? [])
    expect(documented.toSorted()).toEqual(['level', 'time', 'msg', ...logFieldNames].toSorted())
    const used = new Set(lines.flatMap((line) => Object.keys(JSON.parse(line))))
    expect([...used].filter((name) => !documented.includes(name))).toEqual([])
  })

  it('has nothing that is meant for people, such as the sandbox’s account', () => {
    const said = child.readFirstOutput('stderr')
    const { username, password, client_secret, admin_token } = readSandbox()
    for (const shown of [username, password, client_secret, admin_token]) {
      expect(said).toContain(shown)
      expect(lines.join('\n')).not.toContain(shown)
    }
  })
})
