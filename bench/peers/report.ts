/** The two tables of a run: the figures of each system, and the ratios with their targets. */
import { loadavg } from 'node:os'
import { median } from '../statistics.ts'
import { formatColumns } from '../table.ts'
import type { Figures, Round } from './rounds.ts'

/**
 * The rounds of a contest, and for each peer that has a target, by name, the least ratio of the CPU times, with those of
 * the database.
 */
export interface ContestResult {
  readonly name: string
  readonly rounds: readonly Round[]
  readonly targets: ReadonlyMap<string, number>
}

interface Ratio {
  readonly contest: string
  readonly peer: string
  /** The least median, or undefined if the ratio is only printed. */
  readonly target: number | undefined
  /** The ratio of the CPU times of server and database in each round. */
  readonly values: readonly number[]
  readonly withoutDatabase: number
  readonly latency: number
  readonly throughput: number
}

/** Formats a run of contests, and says whether all targets are met. */
export function formatRun(
  results: readonly ContestResult[],
  gateway: string,
): { readonly text: string; readonly areAllMet: boolean } {
  const figureHeads = ['', 'CPU µs', 'database µs', 'latency ms', 'per second']
  const figures = results.flatMap(formatFigures)
  const ratios = results.flatMap((result) => computeRatios(result, gateway))
  const ratioHeads = [
    'ratios',
    'CPU',
    'rounds',
    'target',
    'verdict',
    'without database',
    'latency',
    'throughput',
  ]
  const text = [
    formatColumns([figureHeads, ...figures]),
    formatColumns([ratioHeads, ...ratios.map(formatRatio)]),
    `  load average ${loadavg()[0]?.toFixed(1)}\n`,
  ].join('\n')
  return { text, areAllMet: ratios.every(isMet) }
}

function formatFigures({ name, rounds }: ContestResult): string[][] {
  const systems = [...(rounds[0]?.keys() ?? [])]
  return systems.map((system) => {
    const medianOf = (figure: keyof Figures) => median(rounds.map((round) => read(round, system)[figure]))
    return [
      `${name}: ${system}`,
      medianOf('cpuUs').toFixed(0),
      medianOf('databaseUs').toFixed(0),
      medianOf('latencyMs').toFixed(2),
      medianOf('perSecond').toFixed(medianOf('perSecond') < 100 ? 1 : 0),
    ]
  })
}

function computeRatios({ name, rounds, targets }: ContestResult, gateway: string): Ratio[] {
  const peers = [...(rounds[0]?.keys() ?? [])].filter((system) => system !== gateway)
  return peers.map((peer) => {
    const list = (compute: (own: Figures, theirs: Figures) => number) =>
      rounds.map((round) => compute(read(round, gateway), read(round, peer)))
    const addUp = ({ cpuUs, databaseUs }: Figures) => cpuUs + databaseUs
    return {
      ...{ contest: name, peer, target: targets.get(peer) },
      values: list((own, theirs) => addUp(theirs) / addUp(own)),
      withoutDatabase: median(list((own, theirs) => theirs.cpuUs / own.cpuUs)),
      latency: median(list((own, theirs) => theirs.latencyMs / own.latencyMs)),
      throughput: median(list((own, theirs) => own.perSecond / theirs.perSecond)),
    }
  })
}

function read(round: Round, system: string): Figures {
  const figures = round.get(system)
  if (figures === undefined) throw new Error(`A round has no figures of ${system}.`)
  return figures
}

const isMet = ({ values, target }: Ratio) => target === undefined || median(values) >= target

function formatRatio(ratio: Ratio): string[] {
  const { contest, peer, values, target, withoutDatabase, latency, throughput } = ratio
  return [
    `${contest}: ${peer}`,
    `${median(values).toFixed(0)} ×`,
    `${Math.min(...values).toFixed(0)}–${Math.max(...values).toFixed(0)}`,
    ...(target === undefined ? ['', 'told'] : [`≥ ${target}`, isMet(ratio) ? 'met' : 'missed']),
    ...[withoutDatabase, latency, throughput].map((value) => `${value.toFixed(0)} ×`),
  ]
}
