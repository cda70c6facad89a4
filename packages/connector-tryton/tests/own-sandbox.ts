/** A sandbox that a test may break: it kills, stops and restarts trytond and PostgreSQL. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { bookHistory, type Sandbox, startSandbox } from '../src/tryton/sandbox.ts'
import { committedDump, databaseName, type SandboxSettings } from '../src/tryton/settings.ts'

const pollMs = 50
const maxWaitMs = 30_000
/** A lock ends by itself before the `statement_timeout` of the sandbox ends its statement. */
const maxLockSeconds = 14

export interface OwnSandbox extends Sandbox {
  readonly settings: SandboxSettings
}

interface OwnOptions {
  readonly report?: SandboxSettings['report']
  /** Fills the database with so many styles of four SKUs each, which takes minutes, instead of restoring the dump. */
  readonly styles?: number
  /** Restores this dump instead of the committed one. */
  readonly dump?: string
}

/** Starts a sandbox from the committed dump. `firstPort` and the next port are its own. */
export async function startOwnSandbox(
  firstPort: number,
  { report = () => undefined, styles, dump = committedDump }: OwnOptions = {},
): Promise<OwnSandbox> {
  const settings: SandboxSettings = {
    home: await mkdtemp(join(tmpdir(), 'tryton-own-')),
    ...{ port: firstPort, postgresPort: firstPort + 1, report },
    ...(styles === undefined ? { styles: 60, dump } : { styles, dump: undefined }),
  }
  const sandbox = await startSandbox(settings)
  await bookHistory(settings)
  return { ...sandbox, settings }
}

/** Ports of this process alone, below those that the system gives to clients. */
export const findOwnPorts = (base: number) => base + (process.pid % 1_900) * 3

/** Keeps everybody from writing a table, until the returned function is called. */
export async function lockTable({ postgres }: Sandbox, table: string): Promise<() => Promise<void>> {
  const held = `select pid from pg_locks where mode = 'ExclusiveLock' and granted and relation = '${table}'::regclass`
  const holding = postgres
    .query(`begin; lock table ${table} in exclusive mode; select pg_sleep(${maxLockSeconds})`)
    .catch(() => undefined)
  await waitUntil(`the lock of ${table}`, async () => (await postgres.query(held)) !== '')
  return async () => {
    await postgres.query(`select pg_terminate_backend(pid) from (${held}) as holder`)
    await holding
  }
}

/**
 * Kills trytond after it has confirmed the sale of a reference and before it processes it: the processing waits for a
 * lock meanwhile. Then starts trytond again, and returns what `submit` returned.
 */
export async function killBeforeProcessing<T>(
  sandbox: Sandbox,
  reference: string,
  submit: () => Promise<T>,
): Promise<T> {
  const release = await lockTable(sandbox, 'stock_shipment_out')
  const submitting = submit()
  // The caller awaits it below; without a handler, an early failure would end the process.
  submitting.catch(() => undefined)
  const state = () => sandbox.postgres.query(`select state from sale_sale where web_id = '${reference}'`)
  await waitUntil(`${reference} to be confirmed`, async () => (await state()) === 'confirmed')
  await sandbox.trytond.stop('SIGKILL')
  await release()
  await sandbox.trytond.start()
  return submitting
}

export async function countLeftTasks({ postgres }: Sandbox): Promise<number> {
  return Number(await postgres.query('select count(*) from ir_queue where finished_at is null'))
}

/** Runs Tryton's worker until its queue is empty. */
export async function runWorker(sandbox: OwnSandbox): Promise<void> {
  const folder = join(sandbox.settings.home, 'tryton')
  const file = join(folder, 'worker.conf')
  const configuration = await readFile(join(folder, 'trytond.conf'), 'utf8')
  await writeFile(file, configuration.replace('worker = False', 'worker = True'))
  const args = ['-c', file, '-d', databaseName, '-n', '1', '-t', '1']
  const worker = spawn('/usr/bin/trytond-worker', args, { cwd: folder, detached: true, stdio: 'ignore' })
  const ended = new Promise((resolve) => worker.once('exit', resolve))
  try {
    await waitUntil('an empty queue', async () => (await countLeftTasks(sandbox)) === 0)
  } finally {
    // It has processes of its own, in its group.
    if (worker.pid !== undefined) process.kill(-worker.pid, 'SIGKILL')
    await ended
  }
}

/** Returns the ids of PostgreSQL's processes, the main one first. */
function listPostgres({ settings }: OwnSandbox): number[] {
  const [first = ''] = readFileSync(join(settings.home, 'postgres/data/postmaster.pid'), 'utf8').split('\n')
  const children = readFileSync(`/proc/${first}/task/${first}/children`, 'utf8').trim().split(' ')
  return [first, ...children].map(Number)
}

/** Sends a signal to a process. One that has just ended, as the process of a connection does, needs none. */
function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** Stops PostgreSQL's processes as SIGSTOP does: connections stay open and nothing answers. Returns how to continue. */
export function freezePostgres(sandbox: OwnSandbox): () => void {
  const all = listPostgres(sandbox)
  for (const pid of all) signalProcess(pid, 'SIGSTOP')
  return () => {
    for (const pid of all) signalProcess(pid, 'SIGCONT')
  }
}

/**
 * Kills one of PostgreSQL's processes: the main one ends all connections, recovers the database and accepts new ones.
 * Returns when it does.
 */
export async function crashPostgres(sandbox: OwnSandbox): Promise<void> {
  const [, child] = listPostgres(sandbox)
  if (child !== undefined) signalProcess(child, 'SIGKILL')
  const isUp = () =>
    sandbox.postgres.query('select 1').then(
      () => true,
      () => false,
    )
  await waitUntil('PostgreSQL to recover', isUp)
}

export async function waitUntil(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  for (let waited = 0; waited < maxWaitMs; waited += pollMs) {
    if (await isTrue()) return
    await pause(pollMs)
  }
  throw new Error(`Waited for ${maxWaitMs} ms for ${what}.`)
}
