/** The two tables of a run: the figures of each system, and the ratios with their targets. */
import { loadavg } from 'node:os'
import { median } from '../statistics.ts'
import { formatColumns } from '../table.ts'
import type { Figures, Round } from './rounds.ts'

/** The rounds of a contest with the least ratio of the CPU times for each peer, by name. */
export interface ContestResult {
  readonly name: string
  readonly rounds: readonly Round[]
  readonly targets: ReadonlyMap<string, number>
}

interface Ratio {
  readonly contest: string
  readonly peer: string
  readonly target: number
  /** The ratio of the CPU times in each round. */
  readonly values: readonly number[]
  readonly withDatabase: number
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
    'CPU + database',
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
  return [...targets].map(([peer, target]) => {
    const list = (compute: (own: Figures, theirs: Figures) => number) =>
      rounds.map((round) => compute(read(round, gateway), read(round, peer)))
    const addUp = ({ cpuUs, databaseUs }: Figures) => cpuUs + databaseUs
    return {
      ...{ contest: name, peer, target },
      values: list((own, theirs) => theirs.cpuUs / own.cpuUs),
      withDatabase: median(list((own, theirs) => addUp(theirs) / addUp(own))),
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

const isMet = ({ values, target }: Ratio) => median(values) >= target

function formatRatio(ratio: Ratio): string[] {
  const { contest, peer, values, target, withDatabase, latency, throughput } = ratio
  return [
    `${contest}: ${peer}`,
    `${median(values).toFixed(0)} ×`,
    `${Math.min(...values).toFixed(0)}–${Math.max(...values).toFixed(0)}`,
    `≥ ${target}`,
    isMet(ratio) ? 'met' : 'missed',
    ...[withDatabase, latency, throughput].map((value) => `${value.toFixed(0)} ×`),
  ]
}
