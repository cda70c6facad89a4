/** The soak: hits an installation once a minute for hours, and watches the gateway that it spares. */
import { setTimeout as wait } from 'node:timers/promises'
import { Random } from '../../../sandbox-erp/src/catalogue/random.ts'
import { faults } from '../kills/faults.ts'
import type { KillFinding } from '../kills/finding.ts'
import { movedSkus } from '../kills/goods.ts'
import { type Hits, type KillResult, runTrial } from '../kills/run.ts'
import { drawSchedule } from '../kills/schedule.ts'
import { warehouses } from '../order-replay/opening-stock.ts'
import type { TrialPlace } from '../trial-command.ts'
import { type AgentCounts, askUntil, judgeAgents } from './agents.ts'
import { countFaults, type SoakOptions, soakFaults } from './options.ts'
import { judgeWatch, Watch, type WatchFigures } from './watch.ts'

/** Everything that the summary shows. */
export interface SoakResult {
  readonly kills: KillResult
  readonly watched: WatchFigures
  readonly agents: AgentCounts
}

/** Runs the soak. Throws the errors of its parts. */
export async function runSoak(
  options: SoakOptions,
  run: TrialPlace,
  signal: AbortSignal,
): Promise<SoakResult> {
  const watch = new Watch()
  const agents: AgentCounts = { served: 0, failed: 0, failedSince: 0 }
  let watched: ReturnType<typeof judgeWatch> | undefined
  const kills = await runTrial(
    {
      options: { ...options, kills: countFaults(options) },
      async hit(hits, whileWorking) {
        const found = await hitAndWatch(options, hits, { watch, agents }, whileWorking)
        watched = judgeWatch(watch, options.soak_ms)
        return [...found, ...watched.findings, ...judgeAgents(agents)]
      },
    },
    run,
    signal,
  )
  if (!watched) throw new Error('The soak ended before it was judged.')
  return { kills, watched: watched.figures, agents }
}

async function hitAndWatch(
  options: SoakOptions,
  hits: Hits,
  { watch, agents }: { readonly watch: Watch; readonly agents: AgentCounts },
  signal: AbortSignal,
): Promise<KillFinding[]> {
  const { installation } = hits
  const [spared, sparedUrl] = [installation.alone.at(-1), installation.aloneUrls.at(-1)]
  const [front = ''] = installation.urls
  if (spared?.pid === undefined || sparedUrl === undefined) throw new Error('No gateway runs alone.')
  const over = new AbortController()
  const working = AbortSignal.any([signal, over.signal])
  const client = installation.createClient([sparedUrl], {
    ...{ onResponse() {}, onRefusals() {}, signal: working },
  })
  const path = `/api/v1/warehouses/${warehouses[0]}/stock?sku=${movedSkus[0]}`
  const account = { username: installation.erp.username, password: installation.erp.password }
  const beside = Promise.all([
    watch.run({ pid: spared.pid, read: () => client.read(path) }, working),
    askUntil({ baseUrl: front, account }, agents, working),
  ])
  // A failure beside ends the soak, and is what it fails with.
  beside.catch((error: unknown) => over.abort(error))
  try {
    return await hitEachMinute(options, { ...hits, spared }, working)
  } finally {
    over.abort()
    await beside
  }
}

/** Hits the installation at its times. Returns a finding for each fault after which nothing was served. */
async function hitEachMinute(
  options: SoakOptions,
  { installation, load, times, progress, spared }: Hits & { spared: Hits['installation']['alone'][number] },
  signal: AbortSignal,
): Promise<KillFinding[]> {
  const { soak_ms, every_ms, seed } = options
  const schedule = drawSchedule({ kills: countFaults(options), seed, faults: soakFaults })
  const random = new Random(seed, 2)
  const findings: KillFinding[] = []
  const began = performance.now()
  const waitUntil = (at_ms: number) =>
    wait(Math.max(0, began + at_ms - performance.now()), undefined, { signal })
  progress.beginStep(`Working for ${Math.round(soak_ms / 60_000)} minutes with ${schedule.length} kills`)
  for (const [index, { fault }] of schedule.entries()) {
    await waitUntil((index + 1) * every_ms)
    times.begin(fault)
    await faults[fault].strike({ installation, random, stop_ms: 0, signal, spared })
    if (!(await load.isServedAgain(signal)))
      findings.push({
        kind: 'stuck',
        subject: fault,
        story: `no order got an outcome after kill ${index + 1}`,
      })
    progress.showShare(
      (performance.now() - began) / soak_ms,
      `${index + 1} of ${schedule.length} kills, ${load.orders} orders, ${fault}`,
    )
  }
  await waitUntil(soak_ms)
  return findings
}
