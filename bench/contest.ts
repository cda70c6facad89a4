import { type Load, load, type Target } from './load.ts'
import type { Options } from './options.ts'
import { BrokenParity } from './parity.ts'
import { profiledLoad } from './profile.ts'
import { median, mostReferenceSpread, spread } from './statistics.ts'

/**
 * Rounds in which every contender is asked once, one after another: what disturbs the machine for a while disturbs
 * all of them. Ratios are taken within a round.
 */
export interface Contender extends Target {
  readonly name: string
  /** Whether it is what the others are held against, and has to be steady. */
  readonly isReference?: boolean
  /** Whether its answers are refusals. */
  readonly refuses?: boolean
  /** Before each round. */
  readonly prepare?: () => Promise<unknown>
}

export interface Contest {
  readonly name: string
  readonly contenders: readonly Measured[]
  /** The rate of one over that of another, round by round. */
  ratios(of: string, over: string): number[]
  /** The same of CPU time for a request. */
  cpuRatios(of: string, over: string): number[]
}

export interface Measured {
  readonly name: string
  readonly isReference: boolean
  readonly rounds: readonly Load[]
  readonly perSecond: number
  readonly spread: number
  readonly cpuUs: number
  readonly coreUse: number
  readonly p50Us: number
  readonly p99Us: number
}

/** Measures all contenders. Throws `BrokenParity` where answers fail or requests are refused that should not be. */
export async function contest(
  name: string,
  contenders: readonly Contender[],
  { rounds, seconds, warmSeconds, mostRepeats, profile }: Options,
): Promise<Contest> {
  for (const contender of contenders) {
    await contender.prepare?.()
    await load(contender, warmSeconds)
  }
  let done: Round[] = []
  for (let round = 0; round < rounds; round++) done.push(await oneRound(contenders, seconds))
  for (let repeats = 0; repeats < mostRepeats; repeats++) {
    const kept = withoutDisturbed(contenders, done)
    if (kept.length === done.length) break
    done = [...kept, await oneRound(contenders, seconds)]
  }
  if (profile) for (const contender of contenders) await profiledLoad(contender)
  const paired = (a: string, b: string, value: (found: Load) => number) =>
    done.map((round) => valueIn(round, a, value) / valueIn(round, b, value))
  return {
    name,
    contenders: contenders.map((contender) => measured(contender, done)),
    ratios: (a, b) => paired(a, b, (found) => found.perSecond),
    cpuRatios: (a, b) => paired(a, b, (found) => found.cpuUs),
  }
}

/** What each contender did in one round. */
type Round = ReadonlyMap<string, Load>

async function oneRound(contenders: readonly Contender[], seconds: number): Promise<Round> {
  const round = new Map<string, Load>()
  for (const contender of contenders) {
    await contender.prepare?.()
    const found = await load(contender, seconds)
    checkAnswers(contender, found)
    round.set(contender.name, found)
  }
  return round
}

function valueIn(round: Round, name: string, value: (found: Load) => number): number {
  const found = round.get(name)
  return found ? value(found) : Number.NaN
}

/**
 * The rounds without the one in which something else disturbed a reference most, where a reference is not steady.
 * Only references decide, never what is held against them.
 */
function withoutDisturbed(contenders: readonly Contender[], rounds: readonly Round[]): Round[] {
  const rates = contenders
    .filter(({ isReference }) => isReference)
    .map(({ name }) => rounds.map((round) => valueIn(round, name, ({ perSecond }) => perSecond)))
    .filter((perSecond) => spread(perSecond) > mostReferenceSpread)
  if (rates.length === 0) return [...rounds]
  const offs = rounds.map((_, at) =>
    Math.max(...rates.map((perSecond) => Math.abs((perSecond[at] ?? 0) / median(perSecond) - 1))),
  )
  const worst = offs.indexOf(Math.max(...offs))
  return rounds.filter((_, at) => at !== worst)
}

/** The share of answers that may be the other kind: points come back during a round. */
const strayShare = 0.01

function checkAnswers({ name, refuses }: Contender, { requests, refused, broken }: Load) {
  if (broken > 0) throw new BrokenParity(`${name}: ${broken} requests got no answer.`)
  const stray = refuses ? requests - refused : refused
  if (stray > (refuses ? requests * strayShare : 0)) {
    const kind = refuses ? 'were not refused' : 'were refused'
    throw new BrokenParity(`${name}: ${stray} of ${requests} requests ${kind}.`)
  }
}

function measured({ name, isReference = false }: Contender, done: readonly Round[]): Measured {
  const rounds = done.flatMap((round) => round.get(name) ?? [])
  const middle = (value: (found: Load) => number) => median(rounds.map(value))
  return {
    name,
    isReference,
    rounds,
    perSecond: middle((found) => found.perSecond),
    spread: spread(rounds.map((found) => found.perSecond)),
    cpuUs: middle((found) => found.cpuUs),
    coreUse: middle((found) => found.coreUse),
    p50Us: middle((found) => found.p50Us),
    p99Us: middle((found) => found.p99Us),
  }
}
