/** Signals that come before the program has set its handlers. */

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findFreePort } from '../../trials/src/free-ports.ts'
import { listChildren } from '../../trials/src/process-tree.ts'
import { launchGateway, waitUntil } from './faults/processes.ts'
import { adminToken } from './harness.ts'

const mainFile = join(import.meta.dirname, '../src/main.ts')
/** Sends SIGHUP when Node is about to read the program, as a reload does that comes right after a start. */
const hangUp = `import { registerHooks } from 'node:module'
registerHooks({
  load(url, context, next) {
    if (url.endsWith('/src/program.ts')) process.kill(process.pid, 'SIGHUP')
    return next(url, context)
  },
})`

it('SIGHUP does not end a gateway that is loading its modules', () => {
  const preload = `data:text/javascript,${encodeURIComponent(hangUp)}`
  const { status, signal, stdout } = spawnSync(process.execPath, ['--import', preload, mainFile, '--help'], {
    input: '',
    encoding: 'utf8',
    timeout: 20_000,
  })
  expect([status, signal]).toEqual([0, null])
  expect(stdout).toContain('Usage: npm start')
})

it('SIGTERM ends several processes well while the first one is loading its modules', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tg-early-'))
  const gateway = launchGateway({
    DATA_DIR: folder,
    PORT: String(await findFreePort()),
    PROCESSES: '2',
    // Neither is called: no process comes so far.
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    UPSTREAM_URL: 'http://127.0.0.1:1',
    UPSTREAM_TOKEN: 'the-token-of-an-erp',
    SECRETS_KEY: 'the-same-key-in-every-process-0123456789',
    ADMIN_TOKEN: adminToken,
  })
  try {
    await waitUntil(() => listChildren(gateway.pid).length > 0, 20_000)
    await gateway.stop()
  } finally {
    await gateway.kill()
    rmSync(folder, { recursive: true, force: true })
  }
})
