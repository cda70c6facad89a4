/**
 * What each process of one database reports of itself: that it runs, and how far its copies of the stock and of the
 * products are. So operators see all processes from any of them, and how far the copies lag behind each other. The
 * embedded store has one process, which reports nothing.
 */

import type { Gateway } from '../gateway.ts'
import { formatInstant } from '../kernel/clock.ts'
import { fromJson, toJson } from '../store/json.ts'
import { warnIfCountingApart } from './counting-apart.ts'

/** After this time without a report, a process counts as ended. */
const forgetMs = 60_000
/**
 * After this time without a report, a process has no share of the counts while the server of `VALKEY_URL` is away. The
 * clocks of machines may differ by a part of it.
 */
const maxSilentMs = 20_000

type Copies = Readonly<Record<string, number>>

/** A process, as `/statusz` shows it. */
interface ProcessStatus {
  readonly process_id: string
  /** Its number among the processes of one supervisor; null without one. */
  readonly number: number | null
  readonly started_at: string
  readonly seen_seconds: number
  /** By how many versions its copy lags behind the newest copy of any process; the largest lag of its copies. */
  readonly versions_behind: number
}

interface Reported {
  readonly process_id: string
  readonly number: number | null
  readonly started_at: number
  readonly seen_at: number
  readonly copies: Copies
}

/** Stores this process's report and compares its copies with the newest ones; one turn of the worker. */
export async function reportProcess(gateway: Gateway): Promise<void> {
  const { store, memory, clock } = gateway
  if (!store.isShared) return
  const own = describeOwnProcess(gateway)
  const { process_id, ...row } = { ...own, copies: toJson(own.copies) }
  await store.db
    .insertInto('process_reports')
    .values({ process_id, ...row })
    .onConflict((conflict) => conflict.column('process_id').doUpdateSet(row))
    .execute()
  await store.db
    .deleteFrom('process_reports')
    .where('seen_at', '<', clock.now() - forgetMs)
    .execute()
  const all = await readReports(gateway)
  memory.process.count = Math.max(1, all.filter(({ seen_at }) => clock.now() - seen_at < maxSilentMs).length)
  warnIfCountingApart(gateway)
  const isBehind = countVersionsBehind(describeOwnProcess(gateway).copies, findNewest(all)) > 0
  memory.process.behindSince = isBehind ? (memory.process.behindSince ?? clock.monotonic()) : undefined
}

/** Removes this process's report, when it ends in order. */
export async function removeReport({ store, memory }: Gateway): Promise<void> {
  if (!store.isShared) return
  await store.db.deleteFrom('process_reports').where('process_id', '=', memory.process.id).execute()
}

/** Computes for how long this process's copies have been older than another process's, in seconds. */
export function computeBehindSeconds({ memory, clock }: Gateway): number {
  const { behindSince } = memory.process
  return behindSince === undefined ? 0 : (clock.monotonic() - behindSince) / 1000
}

/** Lists all processes; only this one if the store does not respond. */
export async function listProcesses(gateway: Gateway): Promise<ProcessStatus[]> {
  const own = describeOwnProcess(gateway)
  const stored = await readReports(gateway).catch(() => [])
  const all = [own, ...stored.filter(({ process_id }) => process_id !== own.process_id)]
  const newest = findNewest(all)
  const now = gateway.clock.now()
  return all
    .filter(({ seen_at }) => now - seen_at < forgetMs)
    .map(({ process_id, number, started_at, seen_at, copies }) => ({
      process_id,
      number,
      started_at: formatInstant(started_at),
      seen_seconds: Math.max(0, Math.floor((now - seen_at) / 1000)),
      versions_behind: countVersionsBehind(copies, newest),
    }))
}

function describeOwnProcess({ config, mirror, memory, clock }: Gateway): Reported {
  const stock = mirror.stock
    .warehouses()
    .map(({ warehouse_code: code }) => [`stock ${code}`, mirror.stock.snapshot(code)?.version ?? 0])
  return {
    process_id: memory.process.id,
    number: config.processNumber ?? null,
    started_at: memory.process.startedAt,
    seen_at: clock.now(),
    copies: { ...Object.fromEntries(stock), products: mirror.reference.version },
  }
}

async function readReports({ store }: Gateway): Promise<Reported[]> {
  if (!store.isShared) return []
  const rows = await store.db.selectFrom('process_reports').selectAll().orderBy('started_at').execute()
  return rows.map((row) => ({ ...row, copies: fromJson(row.copies) }))
}

/** Finds the newest version of each copy. */
function findNewest(all: readonly Reported[]): Copies {
  const newest: Record<string, number> = {}
  for (const { copies } of all)
    for (const [name, version] of Object.entries(copies)) newest[name] = Math.max(newest[name] ?? 0, version)
  return newest
}

function countVersionsBehind(copies: Copies, newest: Copies): number {
  return Math.max(0, ...Object.entries(copies).map(([name, version]) => (newest[name] ?? 0) - version))
}
