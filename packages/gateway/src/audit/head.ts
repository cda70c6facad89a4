/**
 * Notes the end of the audit log outside the database: in a file in `DATA_DIR` and in the log. Nobody who can only write
 * to the database can cut rows off at the end, or put an older copy in the table's place, without a difference to what
 * was noted. Each process has a file of its own and notes the newest end that it saw.
 */

import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Gateway } from '../gateway.ts'
import { formatInstant } from '../kernel/clock.ts'
import { writePrivately } from '../kernel/private-file.ts'
import { gatewayActor, recordOwnChange } from './audit.ts'
import { type NotedHead, readChain } from './chain.ts'
import { compareHead } from './verify.ts'

/** The shortest time between two log lines about the end of the audit log. */
const minLogPauseMs = 60_000

const filePattern = /^audit-head.*\.json$/

/** Returns the file in which a process notes the end of the audit log. `name` tells processes of a directory apart. */
export function toHeadFile(dataDir: string, name: string): string {
  return join(dataDir, `audit-head-${name}.json`)
}

/** Reads the heads that the processes of a data directory noted. A file that is damaged notes nothing. */
export function readNotedHeads(folder: string): NotedHead[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => filePattern.test(name))
    .flatMap((name) => parseHead(readFileSync(join(folder, name), 'utf8')))
}

function parseHead(text: string): NotedHead[] {
  try {
    const { number, mac, at } = JSON.parse(text)
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
 * longer has; instead, an error is logged once a minute. The last turn of a process logs an end that was not logged.
 */
export async function noteAuditHead(gateway: Gateway, isLast = false): Promise<void> {
  const { store, memory } = gateway
  const own = memory.auditHead
  own.noted ??= findNewest(listNotedHeads(gateway))
  const chain = await readChain(store.db)
  const hasMoved = own.noted?.number !== chain?.number || own.noted?.mac !== chain?.mac
  if (hasMoved && own.noted && (await compareHead(store.db, own.noted)))
    return reportLostRows(gateway, own.noted)
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
  return heads.toSorted((a, b) => b.number - a.number)[0]
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
 * Begins to note the audit log of a database that was restored from a backup. A row of the log keeps the end that had
 * been noted before, so that the loss stays visible. Without a difference, nothing happens.
 */
export async function acceptRestoredAudit(gateway: Gateway): Promise<void> {
  const { store, memory } = gateway
  const { file } = memory.auditHead
  const lost = findNewest(listNotedHeads(gateway))
  if (!lost || !(await compareHead(store.db, lost))) return
  await store.db.transaction().execute((tx) =>
    recordOwnChange(gateway, tx, {
      actor: gatewayActor,
      action: 'gateway.audit.restore',
      subject: `admin_audit ${lost.number} ${lost.mac}`,
      before: null,
      after: { rows: lost.number },
    }),
  )
  if (file !== undefined) {
    for (const name of readdirSync(dirname(file)))
      if (filePattern.test(name) && name !== basename(file)) rmSync(join(dirname(file), name))
    rmSync(file, { force: true })
  }
  memory.auditHead.noted = undefined
  await noteAuditHead(gateway)
}
