/** Runs seeds in child processes, because a process that runs worlds has no real timers, and one uses one core only. */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
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
      readonly violations: readonly string[]
      /** The smallest plan that still breaks a promise, in lines for people; empty if none is broken. */
      readonly story: readonly string[]
      readonly history: string | undefined
    }
  | { readonly kind: 'end'; readonly cpuSeconds: number }

export type SeedReport = Extract<JobReport, { kind: 'seed' }>

const jobFile = fileURLToPath(new URL('./job.ts', import.meta.url))

/** Runs all seeds, and reports each as soon as it has run. Returns the seconds of CPU time. Throws if a child fails. */
export async function runJobs(
  order: Omit<JobOrder, 'step'>,
  jobs: number,
  onSeed: (report: SeedReport) => void,
): Promise<number> {
  const used = Math.min(jobs, order.count)
  const spent = await Promise.all(
    Array.from({ length: used }, (_, job) => {
      const count = Math.ceil((order.count - job) / used)
      return runJob({ ...order, first: order.first + job, count, step: used }, onSeed)
    }),
  )
  return spent.reduce((sum, seconds) => sum + seconds, 0)
}

function runJob(order: JobOrder, onSeed: (report: SeedReport) => void): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = fork(jobFile)
    let cpuSeconds: number | undefined
    child.on('message', (report: JobReport) => {
      if (report.kind === 'seed') onSeed(report)
      else cpuSeconds = report.cpuSeconds
    })
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      if (cpuSeconds === undefined)
        reject(new Error(`A process that ran seeds ended with ${signal ?? code} before their end.`))
      else resolve(cpuSeconds)
    })
    child.send(order)
  })
}
