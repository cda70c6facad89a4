/** `npm run simulate`: runs seeds and reports what they break. */

import { existsSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import {
  exitCodes,
  parseNumber,
  parseOptions,
  runCommand,
  UsageError,
} from '@trade-gateway/connector-kit/command-line'
import { runJobs, type SeedReport } from './jobs.ts'
import { plantedNames } from './planted-names.ts'

const bounds = {
  seed: { min: 0, max: 999_999_999 },
  seeds: { min: 1, max: 100_000_000 },
  jobs: { min: 1, max: 64 },
} as const
const usage = `Runs whole worlds in one process and without real time: gateways on one database, an ERP, clients, receivers and faults.
The same seed gives the same history.

  npm run simulate -- [--seeds N] [--first S] [--jobs J] [--twice] [--plant LIST] [--plain] [--history FILE]

  --seeds N       how many seeds to run; default 100
  --first S       the first seed; default 1
  --jobs J        how many processes run them; default 1
  --twice         runs each seed twice, and compares the histories byte for byte
  --plant LIST    plants faults, separated by commas: ${plantedNames.join(', ')}
  --plain         reports a seed that breaks a promise without the smallest world that does
  --history FILE  writes the history of a single seed as JSON lines, for npm run check-history
  --help          prints this text

Exit codes: 0 all promises held, 1 one was broken, 64 wrong usage.
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
  if (values.history !== undefined && !existsSync(dirname(values.history)))
    throw new UsageError(`There is no folder ${dirname(values.history)} for --history.`)
  const { twice: isTwice, plain: isPlain, history: file } = values
  return { first, count, jobs, isTwice, isPlain, planted, file }
}

function readPlanted(list: string | undefined) {
  if (list === undefined) return []
  const names = list.split(',')
  const unknown = names.find((name) => !plantedNames.some((known) => known === name))
  if (unknown !== undefined)
    throw new UsageError(`"${unknown}" is not a fault. The faults are ${plantedNames.join(', ')}.`)
  return plantedNames.filter((name) => names.includes(name))
}

async function run(args: readonly string[]): Promise<number | 'usage'> {
  const options = readOptions(args)
  if (options === 'usage') return 'usage'
  const { first, count, jobs, isTwice, isPlain, planted, file } = options
  let [crashes, violated] = [0, 0]
  const onSeed = (report: SeedReport) => {
    crashes += report.crashes
    if (file !== undefined) writeFileSync(file, report.history ?? '')
    if (report.violations.length === 0) return
    violated += 1
    process.stdout.write(formatFailure(report, planted))
  }
  const order = { first, count, planted, isTwice, isPlain, isRecorded: file !== undefined }
  const cpuSeconds = await runJobs(order, jobs, onSeed)
  const perSeed = (cpuSeconds / count).toFixed(2)
  const runs = isTwice ? ', each twice' : ''
  process.stdout.write(
    `${count} seeds${runs}, ${crashes} crashes, ${violated} with violations, ${perSeed} CPU s per seed\n`,
  )
  return violated === 0 ? exitCodes.ended : exitCodes.failed
}

function formatFailure({ seed, violations, story }: SeedReport, planted: readonly string[]): string {
  const option = planted.length > 0 ? ` --plant ${planted.join(',')}` : ''
  const toLines = (sentences: readonly string[]) => sentences.map((each) => `  ${each}\n`).join('')
  const shrunk = story.length > 0 ? `the smallest world that breaks one:\n${toLines(story)}` : ''
  const again = `again: npm run simulate -- --seeds 1 --first ${seed}${option}\n`
  return `seed ${seed} breaks a promise:\n${toLines(violations)}${shrunk}${again}`
}

await runCommand({ usage, run })
