import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { findPostgres } from '@trade-gateway/connector-kit/sandbox/programs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listChildren } from '../src/process-tree.ts'
import { findRedis } from '../src/redis-server.ts'

const commandFile = fileURLToPath(import.meta.resolve('../src/kills/command.ts'))
const maxMs = 300_000
const hasServers = findPostgres() !== undefined && findRedis() !== undefined
if (!hasServers)
  process.stderr.write('left out: npm run kills, because PostgreSQL or redis-server is not installed\n')
let directory = ''

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kills-test-'))
})
afterAll(() => rm(directory, { recursive: true }))

function startKills(...args: string[]) {
  return spawn(process.execPath, [commandFile, ...args], {
    env: { TMPDIR: directory, PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: maxMs,
  })
}

async function waitForExit(child: ReturnType<typeof startKills>) {
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), closed])
  return { stdout, stderr, code }
}

const listDescendants = (pid: number): number[] =>
  listChildren(pid).flatMap((child) => [child, ...listDescendants(child)])
const isAlive = (pid: number) =>
  readFile(`/proc/${pid}/stat`, 'utf8').then(
    () => true,
    () => false,
  )

describe('npm run kills', () => {
  it('says what is wrong with its arguments, with exit 64', async () => {
    const wrong = [['--nonsense'], ['--faults', 'meteor'], ['--kills', '0'], ['--stop', 'x'], ['a file']]
    const [help, ...refused] = await Promise.all(
      [['--help'], ...wrong].map((args) => waitForExit(startKills(...args))),
    )
    expect(help).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('postgres-stop') })
    for (const { code, stdout, stderr } of refused) {
      expect({ code, stdout }, stderr).toEqual({ code: 64, stdout: '' })
      expect(stderr).toContain('npm run kills --')
    }
  }, 60_000)

  it.skipIf(!hasServers)(
    'ends all its processes, frozen ones too, when it is stopped',
    async () => {
      // tmp of another user's PostgreSQL lies below the folder of this test.
      const child = startKills('--kills', '50', '--stop', '60', '--faults', 'process-stop,postgres-stop')
      let started: number[] = []
      child.stderr.on('data', (said) => {
        if (!String(said).includes('Hitting it')) return
        // By then the first stop has begun, and lasts for a minute.
        setTimeout(() => {
          started = listDescendants(child.pid ?? 0)
          child.kill('SIGINT')
        }, 15_000)
      })
      const { stderr, code } = await waitForExit(child)
      expect(stderr).toContain('Stopped before the end.')
      expect(code).toBe(1)
      expect(started.length).toBeGreaterThan(5)
      expect((await Promise.all(started.map(isAlive))).filter(Boolean)).toEqual([])
      expect((await readdir(directory)).filter((name) => name.startsWith('trade-gateway-'))).toEqual([])
    },
    maxMs,
  )
})
