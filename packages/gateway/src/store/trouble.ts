/**
 * Temporary storage failures that are no fault of the gateway: the disk is full, or the database does not respond. They
 * are recognised by the codes of SQLite (sqlite.org/rescode.html) and PostgreSQL (appendix A of its manual). Messages
 * are compared only if the driver provides no code.
 */

import type { Log } from '../kernel/log.ts'

export type StorageTrouble = 'storage_full' | 'storage_unavailable'

const sqlite = { busy: 5, ioError: 10, corrupt: 11, full: 13, notADatabase: 26 } as const
const primaryCode = 0xff
/** The codes of a full disk, from the operating system and from PostgreSQL. */
const fullCodes = new Set(['ENOSPC', 'EDQUOT', '53100'])
/**
 * PostgreSQL's code of a statement that was cancelled because it took too long. The request fails as
 * `storage_unavailable`. But the database did respond, so `StorageState` counts no silence.
 */
const cancelledCode = '57014'
const lockTimeoutCode = '55P03'
/** No privilege, or no schema that the role may create tables in. */
const rightCodes = new Set(['42501', '3F000'])
const checkViolationCode = '23514'
/** The server only reads, as a standby after a failover does. */
const readOnlyCode = '25006'
/**
 * The server that a connection leads to takes no writes any more: it only reads, or it shuts down. Its other connections
 * are of no more use, even if each still responds.
 */
const leftCodes = new Set([readOnlyCode, '57P01', '57P02', '57P03'])
const awayCodes = new Set([
  ...leftCodes,
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
  '25P03', // idle in a transaction for too long
  '53200', // out of memory
  '53300', // too many connections
  cancelledCode,
])
const connectionClass = /^08/
/**
 * PgBouncer's code of each of its own errors, and what it says of a startup parameter that it does not take. This one
 * does not pass: every further connection has the same parameter.
 */
const protocolCode = '08P01'
const refusedParameter = /^unsupported startup parameter/
/** Messages of `pg` and its pool for errors without a code that mean a lost connection. */
const awayMessages =
  /^(?:Query read timeout|timeout exceeded when trying to connect|timeout expired$|Connection terminated|Client has encountered a connection error)/

/** Those of them for a wait that was too long. */
const silenceMessages =
  /^(?:Query read timeout|timeout exceeded when trying to connect|timeout expired$|Connection terminated due to)/

/** The error if the database did not respond in time. The requested operation may still take effect. */
export class DatabaseSilent extends Error {
  readonly code = 'ETIMEDOUT'

  constructor() {
    super('The database did not respond in time.')
  }
}

/**
 * The error if a commit was sent and no response arrived: it may have taken effect. The cause is the failure of the
 * connection.
 */
export class CommitUnanswered extends Error {
  constructor(cause: unknown) {
    super('The database did not confirm a commit.', { cause })
  }
}

/** Whether an error says that the database did not respond in time, as opposed to a connection that broke. */
export function isSilence(error: unknown): boolean {
  return error instanceof Error && (error instanceof DatabaseSilent || silenceMessages.test(error.message))
}

/** Returns the storage trouble that an error, or its cause, reports. */
export function findStorageTrouble(error: unknown): StorageTrouble | undefined {
  if (!(error instanceof Error)) return undefined
  const errcode = readSqliteCode(error)
  if (errcode === sqlite.full) return 'storage_full'
  if (errcode === sqlite.ioError) return 'storage_unavailable'
  const code = 'code' in error ? String(error.code) : ''
  if (fullCodes.has(code)) return 'storage_full'
  if (code === protocolCode && refusedParameter.test(error.message)) return undefined
  if (awayCodes.has(code) || connectionClass.test(code)) return 'storage_unavailable'
  if (awayMessages.test(error.message)) return 'storage_unavailable'
  return findStorageTrouble(error.cause)
}

/** Returns the primary result code of an error of `node:sqlite`. */
function readSqliteCode(error: Error): number | undefined {
  return 'errcode' in error ? Number(error.errcode) & primaryCode : undefined
}

/** Whether another process holds the database file. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && readSqliteCode(error) === sqlite.busy
}

/** Whether the file is damaged or is not a database. */
export function isCorrupt(error: unknown): boolean {
  const code = error instanceof Error ? readSqliteCode(error) : undefined
  return code === sqlite.corrupt || code === sqlite.notADatabase
}

/** Whether the server that a connection of PostgreSQL leads to takes no writes any more. */
export function isServerLeft(error: unknown): boolean {
  return error instanceof Error && 'code' in error && leftCodes.has(String(error.code))
}

/** Whether a server of PostgreSQL only reads. */
export function isReadOnlyServer(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === readOnlyCode
}

/** Whether a statement of PostgreSQL did not get a lock in time (`lock_timeout`). */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === lockTimeoutCode
}

/** Whether a role of PostgreSQL may not do what a statement requires. */
export function lacksRight(error: unknown): boolean {
  return error instanceof Error && 'code' in error && rightCodes.has(String(error.code))
}

/** Whether a row does not satisfy a condition of its table in PostgreSQL, such as that a partition takes it. */
export function isCheckViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === checkViolationCode
}

const probeEveryMs = 1_000

const troubleMessages: Readonly<Record<StorageTrouble, string>> = {
  storage_full:
    'the disk of the database is full: writes are refused until there is space; stock can still be read',
  storage_unavailable:
    'the database does not respond: writes are refused until it does; stock can still be read',
}

function isCancelled(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === cancelledCode
}

/** Tracks storage trouble: logs its beginning and its end once each, and probes until a write succeeds. */
export class StorageState {
  readonly #log: Log
  readonly #probe: () => Promise<unknown>
  #trouble: StorageTrouble | undefined
  #timer: NodeJS.Timeout | undefined
  #silences = 0
  #isClosed = false

  constructor(log: Log, probe: () => Promise<unknown>) {
    this.#log = log
    this.#probe = probe
  }

  get trouble(): StorageTrouble | undefined {
    return this.#trouble
  }

  /** The number of times that the database was found not to respond. */
  get silences(): number {
    return this.#silences
  }

  note(error: unknown) {
    const trouble = findStorageTrouble(error)
    if (trouble === 'storage_unavailable' && !isCancelled(error)) this.#silences += 1
    if (trouble === undefined || trouble === this.#trouble || this.#isClosed || isCancelled(error)) return
    this.#trouble = trouble
    this.#log.error({ code: trouble }, troubleMessages[trouble])
    this.#probeLater()
  }

  #probeLater() {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#probeAgain(), probeEveryMs)
    this.#timer.unref()
  }

  async #probeAgain() {
    try {
      await this.#probe()
    } catch (error) {
      this.note(error)
      if (!this.#isClosed) this.#probeLater()
      return
    }
    if (this.#trouble !== undefined)
      this.#log.info({ code: this.#trouble }, 'the database accepts writes again')
    this.#trouble = undefined
  }

  close() {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }
}
