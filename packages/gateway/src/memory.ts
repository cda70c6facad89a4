import type { StockFigure } from '@trade-gateway/connector'
import { LRUCache } from 'lru-cache'
import type { Prebuilt } from './contract/call.ts'
import type { Clock } from './kernel/clock.ts'
import { growingTo } from './kernel/growing-cache.ts'
import { HourlyFigures } from './kernel/hourly-figures.ts'
import type { LoadShedder } from './kernel/load-shedder.ts'
import { Slots } from './kernel/slots.ts'
import type { Tracing } from './kernel/tracing.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { AuditRow, LegacyUseRow, RequestCountRow, RequestRow, RestoreRow } from './store/tables.ts'

/** The sign-in attempts of one address. */
export interface SignInTries {
  /** The times of the latest failures in monotonic milliseconds, oldest first. */
  failedAt: number[]
  /** Those of them that the server of `VALKEY_URL` does not know, because it was away. */
  unshared: number[]
  underWay: number
  /** A promise that is settled when the next running call ends. */
  ended: PromiseWithResolvers<void>
  /** The id of the lock that operators see; undefined while there is none. */
  lockoutId: string | undefined
  /** When the lock was last looked up, in monotonic milliseconds. */
  followedAt: number
}

/**
 * The health of a channel's webhooks. `GET /me` shows it, so that a client need not infer it from the absence of
 * deliveries.
 */
export interface WebhookHealth {
  /** The number of deliveries that were given up and not sent again since, up to 1,000. */
  readonly dead_letters: number
  readonly last_failure_at: string | null
  /** The HTTP status of the last failure; null if no response came. */
  readonly last_failure_status: number | null
}

/** A webhook that a sandbox inbox received. */
export interface InboxMessage {
  readonly event_id: string
  readonly received_at: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Whether both signatures match the body. */
  readonly verified: boolean
  /** The status that the inbox returned. */
  readonly status: number
}

export interface Inbox {
  readonly messages: InboxMessage[]
  bytes: number
  failures: number
  failWith: number
}

/** The stock figures of writes that end at the same time, which one turn stores together. */
export interface FigureQueue {
  /** The newest figures that the next turn stores, by warehouse and SKU. */
  waiting: Map<string, Map<string, StockFigure>>
  /** The running turn, or the last one. */
  turn: Promise<void>
  /** The next turn, if it is planned and has not started. */
  next: Promise<void> | undefined
}

/** Refusals of a period, by channel, or under one key for all callers. */
export interface Refusals {
  readonly counts: Map<string, number>
  /** When the period began, in monotonic milliseconds. */
  since: number
}

/** Finished requests that wait to be stored in the request log. */
export interface RequestBuffer {
  readonly rows: RequestRow[]
  /**
   * The counts of what has no row of its own, mostly successful reads, by the start of their minute, and within it by
   * channel and route.
   */
  readonly counts: Map<number, Map<string, RequestCountRow>>
  /** The refusals of the running second that cost their channel no points. */
  readonly freeRefusals: Refusals
  /** The refusals of the running minute of all callers without a token. */
  readonly refusalsWithoutToken: Refusals
  /** The number of rows that were omitted since the last turn, because too many were waiting. */
  leftOut: number
  /** The running turn, or the last one. */
  turn: Promise<void>
  /** When the hourly sums were last stored, in monotonic milliseconds. */
  hoursStoredAt: number
}

/** What a process knows of the end of the audit log (`audit/head.ts`). */
export interface AuditHeadMemory {
  /** The file in which the process notes it; undefined if there is none. */
  readonly file: string | undefined
  noted: { readonly number: number; readonly mac: string; readonly at: string } | undefined
  /** When the last log line about it was written, by the monotonic clock. */
  loggedAt: number
  /** The HMAC that the last such line had. */
  loggedMac: string | undefined
}

/** Rows of the audit log that wait to be appended together. */
export interface AuditQueue {
  readonly waiting: Omit<AuditRow, 'number' | 'mac'>[]
  /** The running turn, or the last one. */
  turn: Promise<void>
  /** The next turn, if it is planned and has not started. */
  next: Promise<void> | undefined
}

/** The use of the legacy gateway that waits to be stored. */
export interface LegacyUseBuffer {
  /** The counts, by day, channel and path. */
  readonly rows: Map<string, LegacyUseRow>
  /** The calls by legacy path, empty for none, of each token that is still to be verified. */
  readonly tokens: Map<string, Map<string, { path: string; isKnown?: boolean; at: number; calls: number }>>
  /** The unknown paths that each channel named on a day. */
  readonly unknownPaths: { day: number; readonly byCaller: Map<string, Set<string>> }
  /** The running turn, or the last one. */
  turn: Promise<void>
}

/** A page that was sent and can be sent again. */
export interface KeptPage {
  readonly body: Prebuilt
  readonly headers: readonly string[]
}

/** Stands for a page that was requested once. */
export const requestedOnce = false

/** What a process knows of itself and of its copies. */
export interface ProcessMemory {
  readonly id: string
  /** In epoch milliseconds. */
  readonly startedAt: number
  /** Since when its copies have been older than another process's, in monotonic milliseconds. */
  behindSince: number | undefined
  /** How many processes there are on this database, at least 1, as last known. */
  count: number
  /** The number of processes when the log last warned that they count for themselves; 1 if it did not. */
  warnedOf: number
}

/** What a process remembers besides its snapshots. Its size is limited, and it ends with the process. */
export interface Memory {
  readonly signInTries: LRUCache<string, SignInTries>
  /** The slots in which names that never signed in are checked at the ERP. */
  readonly unknownNames: Slots
  /** The last known health of each channel's webhooks, for times when the store does not respond. */
  readonly webhookHealth: LRUCache<string, WebhookHealth>
  /** The sandbox's inboxes, by channel and name. */
  readonly inboxes: Map<string, Inbox>
  readonly figures: FigureQueue
  readonly requests: RequestBuffer
  readonly hours: HourlyFigures
  readonly legacyUse: LegacyUseBuffer
  readonly tracing: Tracing
  readonly auditHead: AuditHeadMemory
  readonly auditQueue: AuditQueue
  /** When a read of a polled endpoint was last recorded in the audit log, in monotonic milliseconds. */
  readonly recordedReads: LRUCache<string, number>
  /** The sealed cursors of pages that were read, by what is sealed in them. */
  readonly cursors: LRUCache<string, string>
  /** What is sealed in cursors, by the cursor and what it is bound to. */
  readonly openedCursors: LRUCache<string, string>
  /** Pages of stock and of its changes as they are sent, by the version of the stock and what was requested. */
  readonly pages: LRUCache<string, KeptPage | typeof requestedOnce>
  readonly metrics: Metrics
  readonly load: LoadShedder
  /** From when on the recipients of drop-ship orders are sealed, in epoch milliseconds. */
  readonly recipientsSealedFrom: number
  readonly process: ProcessMemory
  /** The restores of the database from backups, oldest first. */
  restores: readonly RestoreRow[]
  /**
   * When this process began on a restored database, in monotonic milliseconds; undefined once no write of the lost time
   * can arrive at the ERP (`writes/lost.ts`).
   */
  lateWritesSince: number | undefined
  /** When the first turn of housekeeping was, on both clocks in milliseconds; undefined before it. */
  firstPrune: { readonly wall: number; readonly steady: number } | undefined
  /** Since when the wall clock has been too far ahead for housekeeping, in monotonic milliseconds; undefined if it is not. */
  aheadSince: number | undefined
  /** Since when each listing of the ERP has lacked a warehouse, in monotonic milliseconds. */
  missingSince: Map<string, number>
  /** The problems of configured views that the log has reported. */
  readonly viewProblems: Set<string>
}

const maxAddresses = 20_000
/**
 * The number of unknown names that are checked at once. An ERP's password hash is deliberately slow, so one guess at a
 * time leaves most of its processors to known names.
 */
const maxUnknownNames = 1
const maxWaitingUnknownNames = 500
const maxChannels = 10_000
const maxRecordedReads = 1_000
const maxCursors = 5_000
/** The total size of the kept pages: some 500 pages of 100 rows. */
const maxPageBytes = 16 * 1024 * 1024
/** What a page takes besides its body. */
const pageEntryBytes = 4096
/** What the name of a page that was requested once takes besides its characters. */
const nameEntryBytes = 256

/**
 * Whether recipients, and hashes of requests that may have one, are sealed by now. Processes of the version before
 * cannot read what is sealed, so nothing is sealed while they may run (`store/recipient-sealing.ts`).
 */
export function isSealingRecipients({
  clock,
  memory,
}: {
  readonly clock: Clock
  readonly memory: Pick<Memory, 'recipientsSealedFrom'>
}): boolean {
  return clock.now() >= memory.recipientsSealedFrom
}

/** What a memory begins with. */
interface MemoryParts
  extends Pick<Memory, 'tracing' | 'metrics' | 'load' | 'process' | 'recipientsSealedFrom' | 'restores'> {
  readonly auditHeadFile?: string | undefined
}

export function createMemory({ auditHeadFile, ...parts }: MemoryParts): Memory {
  return {
    ...parts,
    lateWritesSince: undefined,
    firstPrune: undefined,
    aheadSince: undefined,
    missingSince: new Map(),
    viewProblems: new Set(),
    signInTries: new LRUCache(growingTo(maxAddresses)),
    unknownNames: new Slots(maxUnknownNames, maxWaitingUnknownNames),
    webhookHealth: new LRUCache(growingTo(maxChannels)),
    inboxes: new Map(),
    requests: {
      rows: [],
      counts: new Map(),
      freeRefusals: { counts: new Map(), since: 0 },
      refusalsWithoutToken: { counts: new Map(), since: 0 },
      leftOut: 0,
      turn: Promise.resolve(),
      hoursStoredAt: 0,
    },
    hours: new HourlyFigures(),
    legacyUse: {
      rows: new Map(),
      tokens: new Map(),
      unknownPaths: { day: 0, byCaller: new Map() },
      turn: Promise.resolve(),
    },
    auditHead: {
      file: auditHeadFile,
      noted: undefined,
      loggedAt: Number.NEGATIVE_INFINITY,
      loggedMac: undefined,
    },
    recordedReads: new LRUCache({ max: maxRecordedReads }),
    cursors: new LRUCache(growingTo(maxCursors)),
    openedCursors: new LRUCache(growingTo(maxCursors)),
    pages: new LRUCache({
      maxSize: maxPageBytes,
      sizeCalculation: (page, name) =>
        name.length + (page ? page.body.size + pageEntryBytes : nameEntryBytes),
    }),
    auditQueue: { waiting: [], turn: Promise.resolve(), next: undefined },
    figures: { waiting: new Map(), turn: Promise.resolve(), next: undefined },
  }
}
