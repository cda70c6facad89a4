/** V8's helper threads of a running gateway give way to the event loop, and nothing else does. */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { getPriority, platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { StartedProcess } from '../../trials/src/child-process.ts'
import { helperNiceness } from '../src/start/helper-threads.ts'

const mainFile = join(import.meta.dirname, '../src/main.ts')
const timeoutMs = 60_000
const directory = mkdtempSync(join(tmpdir(), 'helper-threads-'))
let child: StartedProcess | undefined
afterAll(async () => {
  await child?.kill()
  rmSync(directory, { recursive: true, force: true })
})

/** proc_pid_stat(5): the name in brackets, then the fields from the third one on; the niceness is the nineteenth. */
function readThread(folder: string) {
  const stat = readFileSync(join(folder, 'stat'), 'utf8')
  const niceness = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])
  return { isHelper: stat.includes('(V8Worker)'), niceness }
}

it.skipIf(platform() !== 'linux')(
  'give way to the event loop; threads that write files and compress do not',
  async () => {
    child = new StartedProcess({
      name: 'The gateway',
      args: [mainFile],
      cwd: directory,
      env: { DATA_DIR: join(directory, 'data'), PORT: '0', SANDBOX_STYLES: '10' },
    })
    await child.waitForText('Trade Gateway is ready at', 'stderr', { timeoutMs })
    const folder = `/proc/${child.pid}/task`
    const threads = readdirSync(folder).map((thread) => readThread(join(folder, thread)))
    const helpers = threads.filter(({ isHelper }) => isHelper)
    expect(helpers.length).toBeGreaterThan(0)
    expect(new Set(helpers.map(({ niceness }) => niceness))).toEqual(
      new Set([Math.max(helperNiceness, getPriority())]),
    )
    const others = threads.filter(({ isHelper }) => !isHelper)
    expect(new Set(others.map(({ niceness }) => niceness))).toEqual(new Set([getPriority()]))
  },
  timeoutMs,
)
