/** The PostgreSQL of a sandbox, which trials crash. */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { Postgres } from '../src/sandbox/postgres.ts'
import { findPostgres } from '../src/sandbox/programs.ts'

const crashes = 3
const maxPolls = 1_200
const pollMs = 50
const maxMs = 120_000
const hasPostgres = findPostgres() !== undefined
if (!hasPostgres) process.stderr.write('left out: a crash of PostgreSQL, because it is not installed\n')

async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('The system gave no port.')
  return address.port
}

/** Kills one of the server's processes: it ends all connections, recovers, and takes new ones. */
async function crash(postgres: Postgres, pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL')
  const isUp = () =>
    postgres.query('select 1').then(
      () => true,
      () => false,
    )
  const isGone = () => {
    try {
      process.kill(pid, 0)
      return false
    } catch {
      return true
    }
  }
  for (let polls = 0; polls < maxPolls; polls++) {
    if (isGone() && (await isUp())) return
    await pause(pollMs)
  }
  throw new Error('PostgreSQL did not recover.')
}

it.runIf(hasPostgres)(
  'keeps what was committed when one of its processes is killed right after',
  async () => {
    const home = await mkdtemp(join(tmpdir(), 'trade-gateway-postgres-'))
    // As root, PostgreSQL runs as a user of its own, who must reach its folder.
    await chmod(home, 0o711)
    const names = { database: 'books', user: 'erp' }
    const settings = { folder: join(home, 'postgres'), port: await findFreePort(), ...names }
    const postgres = await Postgres.start(settings)
    try {
      await postgres.createDatabase()
      await postgres.query('create table booked (number integer)')
      const findWriter = `select pid from pg_stat_activity where backend_type = 'walwriter'`
      for (let number = 0; number < crashes; number++) {
        const writer = Number(await postgres.query(findWriter))
        await postgres.query(`insert into booked values (${number})`)
        await crash(postgres, writer)
      }
      expect(await postgres.query('select count(*) from booked')).toBe(`${crashes}`)
    } finally {
      await postgres.stop()
      await rm(home, { recursive: true, force: true })
    }
  },
  maxMs,
)
