import { execFileSync } from 'node:child_process'
import { readlinkSync } from 'node:fs'
import pg from 'pg'
import { listDescendants, loadCore, readParent } from './processes.ts'
import { requireProgram } from './tools.ts'

/**
 * Moves a PostgreSQL server to the core of the load, so that it takes nothing from that of the measured server. Returns
 * what lets it run on all cores again; undefined if the server is not on this machine, or not to be moved by this user.
 */
export async function placePostgres(url: string): Promise<(() => void) | undefined> {
  const server = await findServer(url).catch(() => undefined)
  if (server === undefined) return undefined
  const before = execFileSync(requireProgram('taskset'), ['-cp', String(server)]).toString()
  const cores = before.split(': ').at(-1)?.trim() ?? ''
  if (!move(server, String(loadCore))) return undefined
  moveChildren(server, String(loadCore))
  return () => {
    move(server, cores)
    moveChildren(server, cores)
  }
}

/** Finds the id of the server's first process, whose working directory is the directory of the data. */
async function findServer(url: string): Promise<number | undefined> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ pid: number; directory: string }>(
      `select pg_backend_pid() as pid, current_setting('data_directory') as directory`,
    )
    const server = readParent(rows[0]?.pid ?? 0)
    return server !== undefined && readlinkSync(`/proc/${server}/cwd`) === rows[0]?.directory
      ? server
      : undefined
  } finally {
    await client.end()
  }
}

/** Moves the child processes that run now. Later ones run where their parent does. */
function moveChildren(server: number, cores: string) {
  for (const pid of listDescendants(server)) move(pid, cores)
}

/** Moves a process. Returns false if it has ended or belongs to another user. */
function move(pid: number, cores: string): boolean {
  try {
    execFileSync(requireProgram('taskset'), ['-acp', cores, String(pid)], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
