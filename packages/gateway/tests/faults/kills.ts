/**
 * The kill trial of stock. Stock moves in the ERP, clients follow the feed, and the gateway, its ERP or both are killed
 * at random moments, even while they start. After each kill, every acknowledged movement must reach the clients, and
 * their copies must equal a new read of the stock. At the end they must also equal the ERP. Run alone:
 *
 *   node packages/gateway/tests/faults/kills.ts --victim gateway|erp|both [--kills 50] [--seed 1] [--database URL]
 */

import { parseArgs } from 'node:util'
import { listChildren } from '../../../trials/src/process-tree.ts'
import type { Follower } from '../follower.ts'
import { SeededRandom } from './dice.ts'
import { Installation } from './installation.ts'
import { Mover } from './mover.ts'
import { type GatewayProcess, waitUntil } from './processes.ts'
import { Away, Witness } from './witness.ts'

export const victims = ['gateway', 'erp', 'both'] as const
export type Victim = (typeof victims)[number]

export interface KillTrial {
  readonly victim: Victim
  readonly kills: number
  readonly seed: number
  /** The URL of a PostgreSQL database as the store. Without it, the gateway uses its embedded store. */
  readonly databaseUrl?: string
  readonly progress?: (line: string) => void
}

export interface KillOutcome {
  readonly kills: number
  /** The number of kills that hit a process while it was still starting. */
  readonly early: number
  readonly acknowledged: number
  readonly unknown: number
  readonly answers: number
  readonly proved: number
  readonly seconds: number
  /** The time from a kill until the clients had every acknowledged movement and equalled a new read of the stock. */
  readonly recovery: { readonly median_ms: number; readonly most_ms: number }
  readonly violations: readonly string[]
}

const codes = ['AU', 'AUSYD1', 'AUSYD2', 'CHNZJ1', 'CN']
const realCodes = ['AUSYD1', 'AUSYD2', 'CHNZJ1']
const [shortestLifeMs, longestLifeMs] = [20, 1_000]
const longestStartMs = 2_500
const earlyShare = 0.25
const recoveryMs = 60_000
const maxPageSize = 200

/** Runs the trial and returns its outcome. Violations are part of the outcome and do not throw. */
export async function runKillTrial(trial: KillTrial): Promise<KillOutcome> {
  const began = performance.now()
  const { databaseUrl } = trial
  const installation = await Installation.create(
    databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl },
  )
  const house: KillTargets = { installation, gateway: installation.launch() }
  try {
    await house.gateway.waitUntilReady()
    const dice = new SeededRandom(trial.seed)
    const clients = new Clients(new Witness(installation, await installation.requestToken()), dice)
    await clients.start()
    const mover = new Mover(installation, new SeededRandom(trial.seed + 1), clients.listPlaces())
    const recoveries: number[] = []
    let early = 0
    for (let kill = 1; kill <= trial.kills; kill++) {
      clients.readUntilStopped()
      mover.start()
      await pause(dice.drawInteger(shortestLifeMs, longestLifeMs))
      const killedAt = performance.now()
      early += await killVictim(trial.victim, house, dice)
      await mover.stop()
      await clients.stop()
      await clients.waitForRecovery(mover)
      recoveries.push(performance.now() - killedAt)
      trial.progress?.(`${trial.victim}: ${kill} of ${trial.kills} kills, ${mover.acknowledged} movements`)
    }
    await clients.compareWithErp(installation)
    const { answers, provedVersions: proved, violations } = clients.witness
    const { acknowledged, unknown } = mover
    const seconds = (performance.now() - began) / 1000
    const recovery = computeMedianAndMaximum(recoveries)
    return {
      kills: trial.kills,
      early,
      acknowledged,
      unknown,
      answers,
      proved,
      seconds,
      recovery,
      violations,
    }
  } finally {
    await house.gateway.kill()
    installation.remove()
  }
}

interface KillTargets {
  readonly installation: Installation
  gateway: GatewayProcess
}

/**
 * Kills the victim. Restarts a killed gateway; a gateway restarts its ERP itself. Returns how many kills hit a process
 * that was still starting.
 */
async function killVictim(victim: Victim, house: KillTargets, dice: SeededRandom): Promise<number> {
  const { installation } = house
  const erp = installation.readSandbox().erp_pid
  const isEarly = dice.drawBoolean(earlyShare)
  if (victim !== 'gateway') killChild(erp, house.gateway.pid)
  if (victim === 'erp') {
    const early = isEarly ? await killStartingErp(erp, house.gateway.pid, dice) : 0
    await installation.waitForNewErp(erp)
    return early
  }
  await house.gateway.kill()
  house.gateway = installation.launch()
  if (isEarly) {
    await pause(dice.drawInteger(0, longestStartMs))
    await house.gateway.kill()
    house.gateway = installation.launch()
  }
  await house.gateway.waitUntilReady()
  return isEarly ? 1 : 0
}

/** Kills the new ERP process at a random moment within about a second of its start. Returns 1, the number of kills. */
async function killStartingErp(ended: number, parent: number, dice: SeededRandom): Promise<number> {
  const findNewErp = () => listChildren(parent).find((pid) => pid !== ended)
  await waitUntil(() => findNewErp() !== undefined, recoveryMs, 'The gateway did not start its ERP again')
  await pause(dice.drawInteger(0, longestLifeMs))
  killChild(findNewErp() ?? 0, parent)
  return 1
}

/** Kills a process, but only if a gateway of this trial started it, because the process id may have been reused. */
function killChild(pid: number, parent: number): void {
  if (listChildren(parent).includes(pid)) process.kill(pid, 'SIGKILL')
}

/** One client for each warehouse and each view. They work until they are told to stop. */
class Clients {
  readonly witness: Witness
  readonly #dice: SeededRandom
  readonly #followers: ReadonlyMap<string, Follower>
  #wanted = false
  #running: Promise<void> = Promise.resolve()

  constructor(witness: Witness, dice: SeededRandom) {
    this.witness = witness
    this.#dice = dice
    this.#followers = new Map(codes.map((code) => [code, witness.createFollower(code)]))
  }

  async start(): Promise<void> {
    for (const follower of this.#followers.values()) await follower.start()
  }

  listPlaces() {
    return realCodes.flatMap((warehouse_code) =>
      this.#listRows(warehouse_code).map(({ sku, quantity_on_hand }) => ({
        warehouse_code,
        sku,
        quantity_on_hand,
      })),
    )
  }

  readUntilStopped(): void {
    this.#wanted = true
    this.#running = this.#run()
  }

  async stop(): Promise<void> {
    this.#wanted = false
    await this.#running
  }

  /** Waits until every acknowledged movement has arrived and each client's copy equals a new read of the stock. */
  async waitForRecovery(mover: Mover): Promise<void> {
    let missing: string[] = []
    const hasAll = async () => {
      for (const follower of this.#followers.values()) await follower.catchUp()
      const maps = new Map(realCodes.map((code) => [code, this.#mapQuantities(code)]))
      missing = mover.findWrongQuantities((warehouse, sku) => maps.get(warehouse)?.get(sku))
      if (missing.length === 0) missing = await this.#findDifferences()
      return missing.length === 0
    }
    await waitUntil(() => runUnlessAway(hasAll), recoveryMs).catch(() => {
      this.witness.violations.push(`not there after ${recoveryMs} ms: ${missing.slice(0, 5).join('; ')}`)
    })
  }

  /** Compares the clients of real warehouses with the ERP's own rows. */
  async compareWithErp(installation: Installation): Promise<void> {
    for (const code of realCodes) {
      const rows = await installation.readErpRows(code)
      const mine = this.#mapQuantities(code)
      const differing = rows.filter(({ sku, quantity_on_hand }) => mine.get(sku) !== quantity_on_hand)
      if (differing.length > 0 || rows.length !== mine.size)
        this.witness.violations.push(
          `${code} ends unlike the ERP: ${differing.length} of ${rows.length} rows`,
        )
    }
  }

  /** Reads feed pages of all sizes, and occasionally a checksum or the whole stock. */
  async #run(): Promise<void> {
    while (this.#wanted) {
      const [code, follower] = this.#dice.pick([...this.#followers])
      const choice = this.#dice.drawInteger(1, 20)
      const isDone = await runUnlessAway(async () => {
        if (choice === 1) await this.witness.get(`/api/v1/warehouses/${code}/stock`)
        else if (choice <= 3) await this.witness.get(`/api/v1/warehouses/${code}/stock/checksum`)
        else await follower.readPage(this.#dice.drawInteger(1, maxPageSize))
        return true
      })
      if (!isDone) await pause(this.#dice.drawInteger(5, 20))
    }
  }

  async #findDifferences(): Promise<string[]> {
    const differences: string[] = []
    for (const [code, follower] of this.#followers) {
      const { json } = await this.witness.get(`/api/v1/warehouses/${code}/stock`)
      const [own, fresh] = [JSON.stringify(follower.listRows()), JSON.stringify(json.data)]
      if (json.version !== follower.cursor || own !== fresh)
        differences.push(`${code} at ${follower.cursor} differs from a fresh pull at ${json.version}`)
    }
    return differences
  }

  #listRows(code: string) {
    return this.#followers.get(code)?.listRows() ?? []
  }

  #mapQuantities(code: string): Map<string, number> {
    return new Map(this.#listRows(code).map((row) => [row.sku, row.quantity_on_hand]))
  }
}

/** Runs `work`. Returns false if the gateway is away; the client then retries later. */
async function runUnlessAway(work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Away) return false
    throw error
  }
}

function computeMedianAndMaximum(values: readonly number[]) {
  const sorted = values.toSorted((a, b) => a - b)
  const median_ms = Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0)
  return { median_ms, most_ms: Math.round(sorted.at(-1) ?? 0) }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Formats the outcome in one line. */
export function describeOutcome(victim: Victim, outcome: KillOutcome): string {
  const { kills, early, acknowledged, unknown, answers, proved, seconds, recovery, violations } = outcome
  return (
    `kill -9 of ${victim}: ${kills} kills and ${early} while starting, ${acknowledged} movements acknowledged ` +
    `(${unknown} unanswered), ${answers} answers, ${proved} versions proved; recovery ${recovery.median_ms} ms, ` +
    `at most ${recovery.most_ms} ms; ${violations.length} violations; ${seconds.toFixed(0)} s\n`
  )
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      victim: { type: 'string', default: 'gateway' },
      kills: { type: 'string', default: '50' },
      seed: { type: 'string', default: '1' },
      database: { type: 'string' },
    },
  })
  const victim = victims.find((known) => known === values.victim)
  if (!victim) throw new TypeError(`--victim is one of ${victims.join(', ')}.`)
  const outcome = await runKillTrial({
    victim,
    kills: Number(values.kills),
    seed: Number(values.seed),
    ...(values.database === undefined ? {} : { databaseUrl: values.database }),
    progress: (line) => process.stderr.write(`${line}\n`),
  })
  process.stdout.write(describeOutcome(victim, outcome))
  for (const violation of outcome.violations) process.stdout.write(`  ${violation}\n`)
  process.exitCode = outcome.violations.length > 0 ? 1 : 0
}

if (import.meta.main) await main()
