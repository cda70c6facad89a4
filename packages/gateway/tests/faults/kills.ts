import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Follower } from '../follower.ts'
import { Dice } from './dice.ts'
import { Installation } from './installation.ts'
import { Mover } from './mover.ts'
import { type GatewayProcess, until } from './processes.ts'
import { Away, Witness } from './witness.ts'

/**
 * The kill trial: stock moves in the ERP, clients follow the feed, and the gateway, its ERP or both are killed at
 * random moments, also while they start. After each kill every acknowledged movement must come to the clients, and
 * they must equal a fresh pull; at the end also the ERP itself. Run alone:
 *
 *   node packages/gateway/tests/faults/kills.ts --victim gateway|erp|both [--kills 50] [--seed 1] [--database URL]
 */
export const victims = ['gateway', 'erp', 'both'] as const
export type Victim = (typeof victims)[number]

export interface KillTrial {
  readonly victim: Victim
  readonly kills: number
  readonly seed: number
  /** PostgreSQL as the store; without it the embedded one. */
  readonly databaseUrl?: string
  readonly progress?: (line: string) => void
}

export interface KillOutcome {
  readonly kills: number
  /** Second kills, of a process that was still starting. */
  readonly early: number
  readonly acknowledged: number
  readonly unknown: number
  readonly answers: number
  readonly proved: number
  readonly seconds: number
  /** From the kill until the clients had everything that was acknowledged. */
  readonly recovery: { readonly median_ms: number; readonly most_ms: number }
  readonly violations: readonly string[]
}

const codes = ['AU', 'AUSYD1', 'AUSYD2', 'CHNZJ1', 'CN']
const realCodes = ['AUSYD1', 'AUSYD2', 'CHNZJ1']
const [shortestLifeMs, longestLifeMs] = [20, 1_000]
const longestStartMs = 2_500
const earlyShare = 0.25
const recoveryMs = 60_000
const mostPageSize = 200

/** Runs the trial to its end, whatever it finds; throws only where it cannot go on. */
export async function killTrial(trial: KillTrial): Promise<KillOutcome> {
  const began = performance.now()
  const { databaseUrl } = trial
  const installation = await Installation.make(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl })
  const house: House = { installation, gateway: installation.launch() }
  try {
    await house.gateway.ready()
    const dice = new Dice(trial.seed)
    const clients = new Clients(new Witness(installation, await installation.token()), dice)
    await clients.start()
    const mover = new Mover(installation, new Dice(trial.seed + 1), clients.places())
    const recoveries: number[] = []
    let early = 0
    for (let kill = 1; kill <= trial.kills; kill++) {
      clients.work()
      mover.start()
      await pause(dice.whole(shortestLifeMs, longestLifeMs))
      const killedAt = performance.now()
      early += await strike(trial.victim, house, dice)
      await mover.stop()
      await clients.rest()
      await clients.recover(mover)
      recoveries.push(performance.now() - killedAt)
      trial.progress?.(`${trial.victim}: ${kill} of ${trial.kills} kills, ${mover.acknowledged} movements`)
    }
    await clients.equalTheErp(installation)
    const { answers, proved, violations } = clients.witness
    const { acknowledged, unknown } = mover
    const seconds = (performance.now() - began) / 1000
    const recovery = spreadOf(recoveries)
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

interface House {
  readonly installation: Installation
  gateway: GatewayProcess
}

/** Kills, and starts again what does not start by itself; answers how many kills hit what was still starting. */
async function strike(victim: Victim, house: House, dice: Dice): Promise<number> {
  const { installation } = house
  const erp = installation.sandbox().erp_pid
  const isEarly = dice.chance(earlyShare)
  if (victim !== 'gateway') killChild(erp, house.gateway.pid)
  if (victim === 'erp') {
    const early = isEarly ? await strikeStartingErp(erp, house.gateway.pid, dice) : 0
    await installation.newErp(erp)
    return early
  }
  await house.gateway.kill()
  house.gateway = installation.launch()
  if (isEarly) {
    await pause(dice.whole(0, longestStartMs))
    await house.gateway.kill()
    house.gateway = installation.launch()
  }
  await house.gateway.ready()
  return isEarly ? 1 : 0
}

/** Kills the ERP that comes in the place of the one that was killed, before or while it opens its database. */
async function strikeStartingErp(ended: number, parent: number, dice: Dice): Promise<number> {
  const next = () => childrenOf(parent).find((pid) => pid !== ended)
  await until(() => next() !== undefined, recoveryMs, 'The gateway did not start its ERP again')
  await pause(dice.whole(0, longestLifeMs))
  killChild(next() ?? 0, parent)
  return 1
}

/** Kills a process only where a gateway of ours started it: a number may have come to mean another one. */
function killChild(pid: number, parent: number): void {
  if (childrenOf(parent).includes(pid)) process.kill(pid, 'SIGKILL')
}

function childrenOf(parent: number): number[] {
  const list = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8')
  return list.split(' ').filter(Boolean).map(Number)
}

/** One client per warehouse and view; they work until they are told to rest. */
class Clients {
  readonly witness: Witness
  readonly #dice: Dice
  readonly #followers: ReadonlyMap<string, Follower>
  #wanted = false
  #running: Promise<void> = Promise.resolve()

  constructor(witness: Witness, dice: Dice) {
    this.witness = witness
    this.#dice = dice
    this.#followers = new Map(codes.map((code) => [code, witness.follower(code)]))
  }

  async start(): Promise<void> {
    for (const follower of this.#followers.values()) await follower.start()
  }

  places() {
    return realCodes.flatMap((warehouse_code) =>
      this.#rows(warehouse_code).map(({ sku, quantity_on_hand }) => ({
        warehouse_code,
        sku,
        quantity_on_hand,
      })),
    )
  }

  work(): void {
    this.#wanted = true
    this.#running = this.#run()
  }

  async rest(): Promise<void> {
    this.#wanted = false
    await this.#running
  }

  /** Waits until every acknowledged movement is here and each client equals a fresh pull. */
  async recover(mover: Mover): Promise<void> {
    let missing: string[] = []
    const hasAll = async () => {
      for (const follower of this.#followers.values()) await follower.catchUp()
      const maps = new Map(realCodes.map((code) => [code, this.#quantities(code)]))
      missing = mover.missing((warehouse, sku) => maps.get(warehouse)?.get(sku))
      if (missing.length === 0) missing = await this.#differences()
      return missing.length === 0
    }
    await until(() => orAway(hasAll), recoveryMs).catch(() => {
      this.witness.violations.push(`not there after ${recoveryMs} ms: ${missing.slice(0, 5).join('; ')}`)
    })
  }

  /** Holds the clients of real warehouses against what the ERP itself says. */
  async equalTheErp(installation: Installation): Promise<void> {
    for (const code of realCodes) {
      const rows = await installation.erpRows(code)
      const mine = this.#quantities(code)
      const differing = rows.filter(({ sku, quantity_on_hand }) => mine.get(sku) !== quantity_on_hand)
      if (differing.length > 0 || rows.length !== mine.size)
        this.witness.violations.push(
          `${code} ends unlike the ERP: ${differing.length} of ${rows.length} rows`,
        )
    }
  }

  /** Feed pages of all sizes; now and then a proof or a pull. */
  async #run(): Promise<void> {
    while (this.#wanted) {
      const [code, follower] = this.#dice.pick([...this.#followers])
      const choice = this.#dice.whole(1, 20)
      const isDone = await orAway(async () => {
        if (choice === 1) await this.witness.get(`/api/v1/warehouses/${code}/stock`)
        else if (choice <= 3) await this.witness.get(`/api/v1/warehouses/${code}/stock/checksum`)
        else await follower.page(this.#dice.whole(1, mostPageSize))
        return true
      })
      if (!isDone) await pause(this.#dice.whole(5, 20))
    }
  }

  async #differences(): Promise<string[]> {
    const differences: string[] = []
    for (const [code, follower] of this.#followers) {
      const { json } = await this.witness.get(`/api/v1/warehouses/${code}/stock`)
      const [own, fresh] = [JSON.stringify(follower.rows()), JSON.stringify(json.data)]
      if (json.version !== follower.cursor || own !== fresh)
        differences.push(`${code} at ${follower.cursor} differs from a fresh pull at ${json.version}`)
    }
    return differences
  }

  #rows(code: string) {
    return this.#followers.get(code)?.rows() ?? []
  }

  #quantities(code: string): Map<string, number> {
    return new Map(this.#rows(code).map((row) => [row.sku, row.quantity_on_hand]))
  }
}

/** False where the gateway is away; the client asks again later. */
async function orAway(work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Away) return false
    throw error
  }
}

function spreadOf(values: readonly number[]) {
  const sorted = values.toSorted((a, b) => a - b)
  const median_ms = Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0)
  return { median_ms, most_ms: Math.round(sorted.at(-1) ?? 0) }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** The outcome in one line. */
export function described(victim: Victim, outcome: KillOutcome): string {
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
  const outcome = await killTrial({
    victim,
    kills: Number(values.kills),
    seed: Number(values.seed),
    ...(values.database === undefined ? {} : { databaseUrl: values.database }),
    progress: (line) => process.stderr.write(`${line}\n`),
  })
  process.stdout.write(described(victim, outcome))
  for (const violation of outcome.violations) process.stdout.write(`  ${violation}\n`)
  process.exitCode = outcome.violations.length > 0 ? 1 : 0
}

if (import.meta.main) await main()
