/**
 * Notes the end of the audit log outside the database: in a file in `DATA_DIR` and in the log. Nobody who can only write
 * to the database can cut rows off at the end, or put an older copy in the table's place, without a difference to what
 * was noted. Each process has a file of its own and notes the newest end that it saw.
 */

import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Gateway } from '../gateway.ts'
import { formatInstant } from '../kernel/clock.ts'
import { writePrivately } from '../kernel/private-file.ts'
import type { Tx } from '../store/store.ts'
import { type NotedHead, readChain } from './chain.ts'
import { findRestoreOf, recordFurtherLoss, recordRestoredLog } from './losses.ts'
import { compareHead } from './verify.ts'

/** The shortest time between two log lines about the end of the audit log. */
const minLogPauseMs = 60_000

const filePattern = /^audit-head.*\.json$/

/** Returns the file in which a process notes the end of the audit log. `name` tells processes of a directory apart. */
export function toHeadFile(dataDir: string, name: string): string {
  return join(dataDir, `audit-head-${name}.json`)
}

/** Reads the heads that the processes of a data directory noted. A file that is damaged, or gone by then, notes nothing. */
export function readNotedHeads(folder: string): NotedHead[] {
  return listHeadFiles(folder).flatMap(readHead)
}

function listHeadFiles(folder: string): string[] {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => filePattern.test(name))
  return names.map((name) => join(folder, name))
}

function readHead(path: string): NotedHead[] {
  try {
    const { number, mac, at } = JSON.parse(readFileSync(path, 'utf8'))
    const isHead = Number.isSafeInteger(number) && typeof mac === 'string' && typeof at === 'string'
    return isHead ? [{ number, mac, at }] : []
  } catch {
    return []
  }
}

/** Lists the heads that this process knows: those of the files, or without a file its own. */
export function listNotedHeads({ memory }: Pick<Gateway, 'memory'>): NotedHead[] {
  const { file, noted } = memory.auditHead
  return [...(file === undefined ? [] : readNotedHeads(dirname(file))), ...(noted ? [noted] : [])]
}

/**
 * Notes the end of the audit log if it has moved; one turn of the worker. Nothing is noted over an end that the log no
 * longer has, unless a restore took it; instead, an error is logged once a minute. The last turn of a process logs an end
 * that was not logged.
 */
export async function noteAuditHead(gateway: Gateway, isLast = false): Promise<void> {
  const { store, memory } = gateway
  const own = memory.auditHead
  own.noted ??= findNewest(listNotedHeads(gateway))
  const chain = await readChain(store.db)
  const hasMoved = own.noted?.number !== chain?.number || own.noted?.mac !== chain?.mac
  if (hasMoved && own.noted && (await compareHead(store.db, own.noted))) {
    if (!(await forgetRestoredHeads(gateway))) return reportLostRows(gateway, own.noted)
    return noteAuditHead(gateway, isLast)
  }
  if (!chain || chain.number === 0) return
  const { number, mac } = chain
  // Before the file is written, in case the disk is full.
  if (own.loggedMac !== mac && (isLast || isLogDue(gateway))) {
    gateway.log.info({ rows: number, subject: mac }, 'the audit log ends here')
    own.loggedMac = mac
  }
  if (!hasMoved) return
  const head = { number, mac, at: formatInstant(gateway.clock.now()) }
  if (own.file !== undefined) writePrivately(own.file, `${JSON.stringify(head)}\n`)
  own.noted = head
}

function findNewest(heads: readonly NotedHead[]): NotedHead | undefined {
  return sortNewestFirst(heads)[0]
}

function sortNewestFirst(heads: readonly NotedHead[]): NotedHead[] {
  return heads.toSorted((a, b) => b.number - a.number)
}

function reportLostRows(gateway: Gateway, { number, mac }: NotedHead) {
  if (!isLogDue(gateway)) return
  gateway.log.error(
    { rows: number, subject: mac },
    'the audit log no longer has a row that was noted: npm run audit -- verify',
  )
}

function isLogDue({ clock, memory }: Gateway): boolean {
  const now = clock.monotonic()
  if (now < memory.auditHead.loggedAt + minLogPauseMs) return false
  memory.auditHead.loggedAt = now
  return true
}

/**
 * Forgets the heads that a restore took, so that noting begins anew: only one process of one machine began to use the
 * restored database. A loss that goes further than recorded gets a row of its own. Returns false if the head that this
 * process compares with stays.
 */
async function forgetRestoredHeads(gateway: Gateway): Promise<boolean> {
  const { store, memory } = gateway
  const own = memory.auditHead
  const taken: NotedHead[] = []
  for (const head of sortNewestFirst(listNotedHeads(gateway))) {
    const restored = (await compareHead(store.db, head)) && (await findRestoreOf(gateway, head))
    if (!restored) continue
    await recordFurtherLoss(gateway, head, restored)
    taken.push(head)
  }
  const isTaken = (head: NotedHead) =>
    taken.some(({ number, mac }) => head.number === number && head.mac === mac)
  // Read again, because another process of the directory may have noted anew meanwhile.
  if (own.file !== undefined)
    for (const path of listHeadFiles(dirname(own.file)))
      if (readHead(path).some(isTaken)) rmSync(path, { force: true })
  if (own.noted && isTaken(own.noted)) own.noted = undefined
  return own.noted === undefined
}

/**
 * Records that the database was restored from a backup, with the end that had been noted before, so that the loss stays
 * visible. It must be the transaction's last statement. Returns false if this process cannot continue the log.
 */
export async function recordRestoredAudit(gateway: Gateway, tx: Tx): Promise<boolean> {
  const newest = findNewest(listNotedHeads(gateway))
  const lost = newest && (await compareHead(tx, newest)) ? newest : undefined
  return recordRestoredLog(gateway, tx, lost)
}

/** Begins to note the audit log anew after `recordRestoredAudit`, whatever the processes of the directory had noted. */
export async function noteRestoredAudit(gateway: Gateway): Promise<void> {
  const own = gateway.memory.auditHead
  if (own.file !== undefined)
    for (const path of listHeadFiles(dirname(own.file))) rmSync(path, { force: true })
  own.noted = undefined
  await noteAuditHead(gateway)
}
