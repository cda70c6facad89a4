/** Watches the gateway that a soak spares: how much memory it has, and how long its reads take. */
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { KillFinding } from '../kills/finding.ts'

const memoryEveryMs = 5_000
const readEveryMs = 50
const hourMs = 3_600_000
const maxGrowth = 1.05
const maxSlowdown = 1.2
const percentile = 0.99

/** A figure and when it was taken, in milliseconds after the start. */
export interface Sample {
  readonly at_ms: number
  readonly value: number
}

/** What the soak says of the spared gateway. */
export interface WatchFigures {
  readonly reads: number
  /** The medians of the memory in the second and in the last quarter, in bytes. */
  readonly memory: { readonly second: number; readonly last: number }
  /** The 99th percentiles of the reads in the first and in the last period, in milliseconds. */
  readonly p99_ms: { readonly first: number; readonly last: number }
  readonly period_ms: number
}

interface Spared {
  readonly pid: number
  /** Reads one row of stock. */
  read(): Promise<unknown>
}

export class Watch {
  #began = 0
  readonly memory: Sample[] = []
  readonly reads: Sample[] = []

  /** Takes samples until `signal` is aborted. Throws what a read fails with before. */
  async run(spared: Spared, signal: AbortSignal): Promise<void> {
    this.#began = performance.now()
    await Promise.all([
      repeatUntil(signal, memoryEveryMs, async () => this.#add(this.memory, readRss(spared.pid))),
      repeatUntil(signal, readEveryMs, async () => {
        const from = performance.now()
        await spared.read()
        this.#add(this.reads, performance.now() - from)
      }),
    ])
  }

  #add(samples: Sample[], value: number) {
    samples.push({ at_ms: performance.now() - this.#began, value })
  }
}

async function repeatUntil(signal: AbortSignal, everyMs: number, work: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    try {
      await work()
      await wait(everyMs, undefined, { signal })
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
}

/** The resident memory of a process in bytes, from Linux's /proc. */
function readRss(pid: number): number {
  const [, kib = 'NaN'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kib) * 1024
}

/** Compares the quarters of the memory, and the first and the last period of the reads. */
export function judgeWatch(
  { memory, reads }: Pick<Watch, 'memory' | 'reads'>,
  soakMs: number,
): { readonly figures: WatchFigures; readonly findings: readonly KillFinding[] } {
  const periodMs = Math.min(hourMs, soakMs / 2)
  const figures: WatchFigures = {
    reads: reads.length,
    memory: {
      second: pickRank(within(memory, soakMs / 4, soakMs / 2), 0.5),
      last: pickRank(within(memory, soakMs * 0.75, soakMs), 0.5),
    },
    p99_ms: {
      first: pickRank(within(reads, 0, periodMs), percentile),
      last: pickRank(within(reads, soakMs - periodMs, soakMs), percentile),
    },
    period_ms: periodMs,
  }
  return { figures, findings: [...judgeMemory(figures), ...judgeReads(figures)] }
}

function judgeMemory({ memory: { second, last } }: WatchFigures): KillFinding[] {
  // Without samples both are NaN, and no comparison holds.
  if (last <= second * maxGrowth) return []
  const story = `${formatMegabytes(last)} in the last quarter, ${formatMegabytes(second)} in the second one`
  return [{ kind: 'grew', subject: 'the spared gateway', story }]
}

function judgeReads({ p99_ms: { first, last } }: WatchFigures): KillFinding[] {
  if (last <= first * maxSlowdown) return []
  const story = `p99 ${last.toFixed(1)} ms at the end, ${first.toFixed(1)} ms at the start`
  return [{ kind: 'slowed', subject: 'the spared gateway', story }]
}

function within(samples: readonly Sample[], from: number, to: number): number[] {
  return samples.filter(({ at_ms }) => at_ms >= from && at_ms < to).map(({ value }) => value)
}

/** Picks the value that has a share of the others below it. NaN if there is none, which no bound allows. */
function pickRank(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export function formatMegabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
