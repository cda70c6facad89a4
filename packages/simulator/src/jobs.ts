/** Runs seeds in child processes, because a process that runs worlds has no real timers, and one uses one core only. */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { HistoryCounts } from './checker/check.ts'
import type { PlantedName } from './planted-names.ts'

/** What a child process is to do: every `jobs`-th seed. */
export interface JobOrder {
  readonly first: number
  readonly count: number
  readonly step: number
  readonly planted: readonly PlantedName[]
  /** Whether each seed runs twice, and must have the same history. */
  readonly isTwice: boolean
  /** Whether failing plans are not shrunk. */
  readonly isPlain: boolean
  /** Whether the histories are sent. */
  readonly isRecorded: boolean
}

/** What a child process reports: a seed that has run, or the end of all of its seeds. */
export type JobReport =
  | {
      readonly kind: 'seed'
      readonly seed: number
      readonly crashes: number
      /** How much there was to judge; undefined if the world broke down. */
      readonly counts: HistoryCounts | undefined
      readonly violations: readonly string[]
      /** The smallest plan that still breaks the same promise, in lines for people; empty if none is broken. */
      readonly story: readonly string[]
      /** Undefined if it was not asked for, or if no world began. */
      readonly history: string | undefined
    }
  | { readonly kind: 'end'; readonly cpuSeconds: number }

export type SeedReport = Extract<JobReport, { kind: 'seed' }>

const jobFile = fileURLToPath(new URL('./job.ts', import.meta.url))
/**
 * The longest real time of a seed with the search for a smaller world. Most take seconds. A loop that awaits nothing
 * leaves its process no moment to end it and to say at which seed it is.
 */
const maxSeedMs = 900_000

interface Running {
  /** What a child runs; it serves `serveSeeds`. */
  readonly program?: string
  readonly maxMs?: number
}

/**
 * Runs all seeds, and reports each as soon as it has run. Returns the seconds of CPU time. Throws if a child fails, or if
 * a seed takes longer than `maxMs`.
 */
export async function runJobs(
  order: Omit<JobOrder, 'step'>,
  jobs: number,
  onSeed: (report: SeedReport) => void,
  running: Running = {},
): Promise<number> {
  const used = Math.min(jobs, order.count)
  const spent = await Promise.all(
    Array.from({ length: used }, (_, job) => {
      const count = Math.ceil((order.count - job) / used)
      return runJob({ ...order, first: order.first + job, count, step: used }, onSeed, running)
    }),
  )
  return spent.reduce((sum, seconds) => sum + seconds, 0)
}

function runJob(
  order: JobOrder,
  onSeed: (report: SeedReport) => void,
  { program = jobFile, maxMs = maxSeedMs }: Running,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = fork(program)
    let reported = 0
    let cpuSeconds: number | undefined
    let end: string | undefined
    const timer = setTimeout(() => {
      end = `did not end within ${maxMs / 1000} s`
      child.kill('SIGKILL')
    }, maxMs).unref()
    child.on('message', (report: JobReport) => {
      timer.refresh()
      if (report.kind === 'end') cpuSeconds = report.cpuSeconds
      else {
        reported += 1
        onSeed(report)
      }
    })
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      if (cpuSeconds !== undefined) return resolve(cpuSeconds)
      const seed = order.first + Math.min(reported, order.count - 1) * order.step
      reject(new Error(`A process that ran seeds ${end ?? `ended with ${signal ?? code}`} at seed ${seed}.`))
    })
    child.send(order)
  })
}
