/** `npm run simulate`: runs seeds and reports what they break. */

import {
  exitCodes,
  parseNumber,
  parseOptions,
  runCommand,
  UsageError,
} from '@trade-gateway/connector-kit/command-line'
import { openHistoryFile } from './history/recorder.ts'
import { replacePlatform } from './platform.ts'

replacePlatform()
const { faultNames } = await import('./faults.ts')
const { runWorld } = await import('./world.ts')

const bounds = { seed: { min: 0, max: 999_999_999 }, seeds: { min: 1, max: 10_000_000 } } as const
const usage = `Runs whole worlds in one process and without real time: gateways on one database, an ERP, clients, crashes at commits.
The same seed gives the same history.

  npm run simulate -- [--seeds N] [--from S] [--seed S] [--faults LIST] [--history FILE]

  --seeds N       how many seeds to run; default 100
  --from S        the first seed; default 1
  --seed S        runs this seed only
  --faults LIST   plants faults, separated by commas: ${faultNames.join(', ')}
  --history FILE  writes the histories as JSON lines
  --help          prints this text

Exit codes: 0 all promises held, 1 one was broken, 64 wrong usage.
`

function readOptions(args: readonly string[]) {
  const text = { type: 'string' } as const
  const values = parseOptions(args, {
    ...{ seeds: text, from: text, seed: text, faults: text, history: text },
    help: { type: 'boolean', short: 'h', default: false },
  })
  if (values.help) return 'usage'
  const faults = (values.faults ?? '').split(',').filter((name) => name !== '')
  const unknown = faults.find((name) => !faultNames.some((known) => known === name))
  if (unknown !== undefined)
    throw new UsageError(`"${unknown}" is not a fault. The faults are ${faultNames.join(', ')}.`)
  const one = values.seed === undefined ? undefined : parseNumber('seed', values.seed, bounds.seed)
  return {
    from: one ?? parseNumber('from', values.from ?? '1', bounds.seed),
    seeds: one === undefined ? parseNumber('seeds', values.seeds ?? '100', bounds.seeds) : 1,
    faults: faultNames.filter((name) => faults.includes(name)),
    history: values.history,
  }
}

async function run(args: readonly string[]): Promise<number | 'usage'> {
  const options = readOptions(args)
  if (options === 'usage') return 'usage'
  const { from, seeds, faults, history } = options
  const file = history === undefined ? undefined : openHistoryFile(history)
  const planted = faults.length > 0 ? ` --faults ${faults.join(',')}` : ''
  let [crashes, violated] = [0, 0]
  const before = process.cpuUsage()
  for (let seed = from; seed < from + seeds; seed++) {
    const outcome = await runWorld({ seed, faults })
    crashes += outcome.crashes
    file?.write(outcome.history.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
    if (outcome.violations.length === 0) continue
    violated += 1
    const broken = outcome.violations.map((each) => `  ${each}\n`).join('')
    process.stdout.write(
      `seed ${seed} breaks a promise:\n${broken}  again: npm run simulate -- --seed ${seed}${planted}\n`,
    )
  }
  file?.close()
  const { user, system } = process.cpuUsage(before)
  const perSeed = ((user + system) / 1e6 / seeds).toFixed(2)
  process.stdout.write(
    `${seeds} seeds, ${crashes} crashes, ${violated} with violations, ${perSeed} CPU s per seed\n`,
  )
  return violated === 0 ? exitCodes.ended : exitCodes.failed
}

await runCommand({ usage, run })
