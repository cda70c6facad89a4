import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { jsonLog } from './log.ts'

/** A file on a disk that is always full. Systems other than Linux have none. */
const fullDisk = '/dev/full'

it('leaves out every field that is not listed', () => {
  const lines: string[] = []
  const log = jsonLog('info', { write: (line: string) => void lines.push(line) })
  const fields = { request_id: 'req_1', status: 200, error: new Error('why'), authorization: 'Bearer secret' }
  log.info(fields, 'answered')
  const [line = ''] = lines
  expect(Object.keys(JSON.parse(line))).toEqual(['level', 'time', 'request_id', 'status', 'error', 'msg'])
  expect(JSON.parse(line).error).toMatch(/^Error: why/)
})

it.skipIf(!existsSync(fullDisk))(
  'neither ends its process on a full disk, nor keeps it from ending',
  async () => {
    const program = `
    const { jsonLog } = await import(${JSON.stringify(join(import.meta.dirname, 'log.ts'))})
    const log = jsonLog('info')
    for (let line = 0; line < 5_000; line++) log.info({ subject: 'x'.repeat(1_000) }, 'a line')
    await new Promise((resolve) => setImmediate(resolve))
    console.error(process.memoryUsage().heapUsed < 100 * 2 ** 20 ? 'small' : 'large')
    process.exit(3)`
    const output = openSync(fullDisk, 'w')
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', output, 'pipe'],
    })
    closeSync(output)
    let said = ''
    child.stderr?.on('data', (text) => {
      said += text
    })
    const timer = setTimeout(() => child.kill('SIGKILL'), 20_000)
    const [code] = await once(child, 'close')
    clearTimeout(timer)
    expect([code, said.trim()]).toEqual([3, 'small'])
  },
  30_000,
)
