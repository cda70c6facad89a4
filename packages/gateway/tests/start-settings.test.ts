/** How the program responds to invalid settings when it starts. */

import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const mainFile = join(import.meta.dirname, '../src/main.ts')
let directory: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'trade-gateway-settings-'))
})

afterEach(() => rmSync(directory, { recursive: true, force: true }))

function startProgram(environment: Record<string, string>, uid?: number) {
  const env = { DATA_DIR: join(directory, 'data'), PORT: '0', ...environment }
  const { status, stderr } = spawnSync(process.execPath, [mainFile], {
    cwd: directory,
    env,
    encoding: 'utf8',
    timeout: 20_000,
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
  return { status, stderr }
}

describe('a start', () => {
  it('ends with 78 for short secrets and misspelt settings, each in a sentence', () => {
    const { status, stderr } = startProgram({
      ADMIN_TOKEN: 'x',
      LEGACY_TOKEN_SECRET: 'y',
      WRITES_ENABLE: '0',
    })
    expect(status).toBe(78)
    expect(stderr).toContain('ADMIN_TOKEN is too short: 1 of at least 32 characters')
    expect(stderr).toContain('LEGACY_TOKEN_SECRET is too short: 1 of at least 32 characters')
    expect(stderr).toContain('WRITES_ENABLE is not a setting; did you mean WRITES_ENABLED?')
  })

  it('ends with 78 instead of starting the sandbox where only the URL of the ERP is missing', () => {
    const { status, stderr } = startProgram({ UPSTREAM_TOKEN: 'a-token-of-an-erp' })
    expect(status).toBe(78)
    expect(stderr).toContain('UPSTREAM_URL is missing')
  })

  it('ends with 78 for a name in .env that is not a setting', () => {
    writeFileSync(join(directory, '.env'), 'COLOUR=red\n')
    const { status, stderr } = startProgram({ HOME: directory, TZ: 'UTC' })
    expect(status).toBe(78)
    expect(stderr).toContain('COLOUR is not a setting; remove it from .env or settings.env.')
    expect(stderr).not.toMatch(/HOME|TZ/)
  })

  it('ends with 78 for a DATA_DIR of another user, or one with a lock of another user', () => {
    // Root may write everywhere, so that the program then runs as a user without rights.
    const uid = process.getuid?.() === 0 ? 65_534 : undefined
    const user = uid ?? process.getuid?.()
    chmodSync(directory, 0o755)
    const dataDir = join(directory, 'data')
    mkdirSync(dataDir)
    chmodSync(dataDir, 0o555)
    expect(startProgram({}, uid)).toEqual({
      status: 78,
      stderr: expect.stringContaining(`DATA_DIR: user ${user} cannot read and write ${dataDir} (EACCES).`),
    })
    chmodSync(dataDir, 0o777)
    writeFileSync(join(dataDir, 'lock.db'), '', { mode: 0o400 })
    const { status, stderr } = startProgram({}, uid)
    expect(status).toBe(78)
    expect(stderr).toContain(`cannot read and write ${join(dataDir, 'lock.db')} (EACCES)`)
    for (const name of ['settings.env', 'gateway.db']) {
      rmSync(dataDir, { recursive: true })
      mkdirSync(dataDir)
      chmodSync(dataDir, 0o777)
      writeFileSync(join(dataDir, name), '', { mode: 0o400 })
      expect(startProgram({}, uid), name).toEqual({
        status: 78,
        stderr: expect.stringContaining(`cannot read and write ${join(dataDir, name)} (EACCES)`),
      })
    }
  })

  it.runIf(process.platform === 'linux')('ends with 78 for a DATA_DIR that nobody can create', () => {
    expect(startProgram({ DATA_DIR: '/proc/none/data' })).toEqual({
      status: 78,
      stderr: expect.stringContaining('directory that cannot be created (ENOENT): "/proc/none/data"'),
    })
  })
})
