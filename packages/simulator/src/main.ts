/** `npm run simulate`: runs seeds and reports what they break. */

import {
  exitCodes,
  parseNumber,
  parseOptions,
  parseOutputFile,
  runCommand,
  UsageError,
  writeOutputFile,
} from '@trade-gateway/connector-kit/command-line'
import { Progress } from '@trade-gateway/connector-kit/progress'
import { runJobs, type SeedReport } from './jobs.ts'
import { plantedNames } from './planted-names.ts'
import { Totals } from './totals.ts'

const bounds = {
  seed: { min: 0, max: 999_999_999 },
  seeds: { min: 1, max: 100_000_000 },
  jobs: { min: 1, max: 64 },
} as const
const usage = `Runs whole worlds in one process and without real time: gateways on one database, an ERP, clients, receivers and faults.
The same seed gives the same history.

  npm run simulate -- [--seeds N] [--first S] [--jobs J] [--twice] [--plant LIST] [--plain] [--history FILE]

  --seeds N       how many seeds to run, from ${bounds.seeds.min} on; default 100
  --first S       the first seed, ${bounds.seed.min} to ${bounds.seed.max}; default 1
  --jobs J        how many processes run them, ${bounds.jobs.min} to ${bounds.jobs.max}; default 1
  --twice         runs each seed twice, and compares the histories byte for byte
  --plant LIST    plants faults, separated by commas: ${plantedNames.join(', ')}
  --plain         reports a seed that breaks a promise without the smallest world that breaks the same one
  --history FILE  writes the history of a single seed as JSON lines, for npm run check-history;
                  of a world that broke down, what was recorded until then
  --help          prints this text

Exit codes: 0 all promises held, 1 one was broken, or a run of many seeds judged too little, 64 wrong usage.
`

function readOptions(args: readonly string[]) {
  const text = { type: 'string' } as const
  const values = parseOptions(args, {
    ...{ seeds: text, first: text, jobs: text, plant: text, history: text },
    twice: { type: 'boolean', default: false },
    plain: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  })
  if (values.help) return 'usage'
  const first = parseNumber('first', values.first ?? '1', bounds.seed)
  const count = parseNumber('seeds', values.seeds ?? '100', bounds.seeds)
  if (first + count - 1 > bounds.seed.max)
    throw new UsageError(`The seeds end at ${bounds.seed.max}: there is no seed ${first + count - 1}.`)
  const jobs = parseNumber('jobs', values.jobs ?? '1', bounds.jobs)
  const planted = readPlanted(values.plant)
  if (values.history !== undefined && count > 1)
    throw new UsageError('--history writes the history of one seed. Add --seeds 1.')
  const file = parseOutputFile('history', values.history)
  const { twice: isTwice, plain: isPlain } = values
  return { first, count, jobs, isTwice, isPlain, planted, file }
}

function readPlanted(list: string | undefined) {
  if (list === undefined) return []
  const names = list.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !plantedNames.some((known) => known === name))
  if (unknown !== undefined)
    throw new UsageError(`"${unknown}" is not a fault. The faults are ${plantedNames.join(', ')}.`)
  return plantedNames.filter((name) => names.includes(name))
}

async function run(args: readonly string[]): Promise<number | 'usage'> {
  const options = readOptions(args)
  if (options === 'usage') return 'usage'
  const { first, count, jobs, isTwice, isPlain, planted, file } = options
  const progress = new Progress(process.stderr)
  progress.beginStep(`seeds ${first} to ${first + count - 1}`)
  const totals = new Totals()
  let history: string | undefined
  const onSeed = (report: SeedReport) => {
    totals.add(report)
    progress.showShare(totals.seeds / count, totals.format())
    history = report.history
    if (report.violations.length === 0) return
    progress.end()
    process.stdout.write(formatFailure(report, { planted, isTwice }))
    if (file !== undefined) process.stdout.write(describeHistory(report, file))
  }
  const order = { first, count, planted, isTwice, isPlain, isRecorded: file !== undefined }
  const cpuSeconds = await runJobs(order, jobs, onSeed)
  progress.end()
  if (file !== undefined && history !== undefined) writeOutputFile(file, history)
  const perSeed = (cpuSeconds / count).toFixed(2)
  const runs = isTwice ? ', each twice' : ''
  process.stdout.write(`${totals.formatJudged()}\n`)
  process.stdout.write(`${totals.format(runs)}, ${perSeed} CPU s per seed\n`)
  // A planted fault may well leave nothing to judge.
  const idleness = planted.length === 0 ? totals.findIdleness() : undefined
  if (idleness !== undefined) process.stdout.write(`${idleness}\n`)
  if (planted.length > 0 && totals.violated === 0)
    process.stdout.write('No seed shows the planted fault. Most show in less than 100 seeds.\n')
  return totals.violated === 0 && idleness === undefined ? exitCodes.ended : exitCodes.failed
}

/** Says what there is of the history of a world that broke down. Empty for other worlds. */
function describeHistory({ counts, history }: SeedReport, file: string): string {
  if (counts !== undefined) return ''
  if (history === undefined) return `No history was written to ${file}, because no world began.\n`
  return `${file} has the history until the world broke down. If it is cut, npm run check-history refuses it.\n`
}

interface Asked {
  readonly planted: readonly string[]
  readonly isTwice: boolean
}

function formatFailure({ seed, violations, story }: SeedReport, { planted, isTwice }: Asked): string {
  const option = `${isTwice ? ' --twice' : ''}${planted.length > 0 ? ` --plant ${planted.join(',')}` : ''}`
  const toLines = (sentences: readonly string[]) => sentences.map((each) => `  ${each}\n`).join('')
  const shrunk = story.length > 0 ? `the smallest world that breaks one:\n${toLines(story)}` : ''
  const again = `again: npm run simulate -- --seeds 1 --first ${seed}${option}\n`
  return `seed ${seed} breaks a promise:\n${toLines(violations)}${shrunk}${again}`
}

await runCommand({ usage, run })
