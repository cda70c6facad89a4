import { spawn } from 'node:child_process'
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { findPostgres } from '@trade-gateway/connector-kit/sandbox/programs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findRedis } from '../src/redis-server.ts'
import { listDescendants, readProcessState } from './process-state.ts'

const commandFile = fileURLToPath(import.meta.resolve('../src/kills/command.ts'))
const maxMs = 300_000
const hasServers = findPostgres() !== undefined && findRedis() !== undefined
if (!hasServers)
  process.stderr.write('left out: npm run kills, because PostgreSQL or redis-server is not installed\n')
let directory = ''

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kills-test-'))
  // As root, PostgreSQL runs as a user of its own, who must reach its folder.
  await chmod(directory, 0o711)
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

describe('npm run kills', () => {
  it(
    'says what is wrong with its arguments, with exit 64',
    async () => {
      const ofOptions = [
        ['--nonsense'],
        ['--faults', 'meteor'],
        ['--kills', '0'],
        ['--stop', 'x'],
        ['a file'],
      ]
      const ofFiles = [
        ['--report', directory],
        ['--history', join(directory, 'missing', 'h')],
        ['--report', join(directory, 'same'), '--history', join(directory, 'same')],
      ]
      const wrong = [...ofOptions, ...ofFiles]
      const [help, ...refused] = await Promise.all(
        [['--help'], ...wrong].map((args) => waitForExit(startKills(...args))),
      )
      expect(help).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('postgres-stop') })
      for (const { code, stdout, stderr } of refused) {
        expect({ code, stdout }, stderr).toEqual({ code: 64, stdout: '' })
        expect(stderr).toContain('npm run kills --')
      }
      expect(await readdir(directory)).toEqual([])
    },
    maxMs,
  )

  it.skipIf(!hasServers)(
    'ends all its processes, frozen ones too, when it is stopped',
    async () => {
      const child = startKills('--kills', '50', '--stop', '600', '--faults', 'process-stop,postgres-stop')
      let started: number[] = []
      const timer = setInterval(() => {
        started = listDescendants(child.pid ?? 0)
        if (!started.some((pid) => readProcessState(pid) === 'T')) return
        clearInterval(timer)
        child.kill('SIGINT')
      }, 50)
      const { stderr, code } = await waitForExit(child)
      clearInterval(timer)
      expect(stderr).toContain('Stopped before the end.')
      expect(code).toBe(1)
      expect(started.length).toBeGreaterThan(5)
      expect(started.map(readProcessState).filter((state) => state !== undefined)).toEqual([])
      expect((await readdir(directory)).filter((name) => name.startsWith('trade-gateway-'))).toEqual([])
    },
    maxMs,
  )
})
