/** The trial: starts an installation, lets clients work, hits it with one fault after another, and compares the records. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Progress } from '@trade-gateway/connector-kit/progress'
import { Random } from '../../../sandbox-erp/src/catalogue/random.ts'
import { startHistory } from '../judged-history.ts'
import type { Entry } from '../order-replay/place-order.ts'
import { recordOpening } from '../order-replay/recorded-books.ts'
import type { TrialPlace } from '../trial-command.ts'
import { FaultTimes } from './fault-times.ts'
import { faults } from './faults.ts'
import type { KillFinding } from './finding.ts'
import { computeOpening } from './goods.ts'
import { type Installation, withInstallation } from './installation.ts'
import { type Judgement, judgeRecords } from './judge.ts'
import { Load } from './load.ts'
import type { KillOptions } from './options.ts'
import { drawSchedule } from './schedule.ts'

/** Everything that the summary shows. */
export interface KillResult extends Judgement {
  readonly times: FaultTimes
  readonly entries: readonly Entry[]
  readonly movements: number
  /** The number of holds of which a client was told, and which it released. */
  readonly holds: number
  /** The number of times that a follower's copy was compared with the checksum of its version. */
  readonly proofs: number
  readonly hasNginx: boolean
  readonly faults_ms: number
  /** The errors in the logs of the gateways: their number and the first lines. */
  readonly logged: { readonly count: number; readonly first: readonly string[] }
}

/** A trial on a whole installation. */
interface Trial {
  readonly options: Pick<KillOptions, 'kills' | 'seed' | 'buyers' | 'history'>
  /** Hits the installation while clients work. Returns what it found meanwhile. */
  hit(hits: Hits, signal: AbortSignal): Promise<KillFinding[]>
}

/** Hits the installation again as soon as it serves. Throws the errors of its parts. */
export function runKills(options: KillOptions, run: TrialPlace, signal: AbortSignal): Promise<KillResult> {
  const hit: Trial['hit'] = (hits, whileWorking) => hitOften(options, hits, whileWorking)
  return runTrial({ options, hit }, run, signal)
}

/** Runs a trial. Throws the errors of its parts. */
export function runTrial(
  { options, hit }: Trial,
  { directory, progress }: TrialPlace,
  signal: AbortSignal,
): Promise<KillResult> {
  const opening = computeOpening(options.kills)
  progress.beginStep('Starting PostgreSQL, Redis, the ERP, four gateway processes and a receiver')
  return withInstallation({ directory, opening }, signal, async (installation, alive) => {
    const times = new FaultTimes()
    const history = startHistory(options.history, directory)
    recordOpening(history.recorder, opening)
    const plan = {
      ...{ installation, times, buyers: options.buyers, seed: options.seed },
      history,
    }
    const load = await Load.start(plan, alive)
    const whileWorking = AbortSignal.any([alive, load.failed])
    try {
      const began = performance.now()
      const found = await hit({ installation, load, times, progress }, whileWorking)
      const entries = await load.stopBuying()
      const faults_ms = performance.now() - began
      const records = { installation, load, opening, entries, history, progress }
      const judgement = await judgeRecords(records, whileWorking)
      return {
        ...judgement,
        findings: [...found, ...listCrashes(installation), ...judgement.findings],
        times,
        entries,
        movements: load.mover.movements,
        holds: load.holds,
        proofs: load.stock.proofs,
        hasNginx: installation.hasNginx,
        faults_ms,
        logged: installation.readErrors(),
      }
    } finally {
      load.end()
    }
  })
}

function listCrashes({ crashes }: Installation): KillFinding[] {
  return crashes.map((story) => ({ kind: 'crashed', subject: 'a process below the supervisor', story }))
}

/** What a trial hits, and what it tells. */
export interface Hits {
  readonly installation: Installation
  readonly load: Load
  readonly times: FaultTimes
  readonly progress: Progress
}

/** Hits the installation with every fault of the schedule. Returns a finding for each that ended the service. */
async function hitOften(
  options: KillOptions,
  { installation, load, times, progress }: Hits,
  signal: AbortSignal,
): Promise<KillFinding[]> {
  const schedule = drawSchedule(options)
  const random = new Random(options.seed, 2)
  const findings: KillFinding[] = []
  progress.beginStep(`Hitting it ${schedule.length} times while clients work`)
  await load.isServedAgain(signal)
  for (const [index, { fault, pause_ms }] of schedule.entries()) {
    await wait(pause_ms, undefined, { signal })
    times.begin(fault)
    await faults[fault].strike({ installation, random, stop_ms: options.stop_ms, signal })
    if (!(await load.isServedAgain(signal)))
      findings.push({
        kind: 'stuck',
        subject: fault,
        story: `no order got an outcome for too long after fault ${index + 1}`,
      })
    const done = index + 1
    progress.showShare(
      done / schedule.length,
      `${done} of ${schedule.length} faults, ${load.orders} orders, ${fault}`,
    )
  }
  return findings
}
