/** `npm run simulate`: runs seeds and reports what they break. */

import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { replacePlatform } from './platform.ts'

replacePlatform()
const { faultNames } = await import('./faults.ts')
const { runWorld } = await import('./world.ts')

const exit = { held: 0, violated: 1, usage: 64 } as const
const maxSeed = 2 ** 31
const usage = `npm run simulate -- [--seeds N] [--from S] [--seed S] [--faults LIST] [--history FILE]

Runs whole worlds in one process and without real time: gateways on one database, an ERP, clients, crashes at commits.
The same seed gives the same history. Exit code 0: all promises held; 1: one was broken; 64: usage.

  --seeds N       how many seeds to run; default 100
  --from S        the first seed; default 1
  --seed S        runs this seed only
  --faults LIST   plants faults, separated by commas: ${faultNames.join(', ')}
  --history FILE  writes the histories as JSON lines
`

function readNumber(name: string, text: string): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value < maxSeed) return value
  throw new RangeError(`--${name} must be a whole number below ${maxSeed}, not "${text}".`)
}

function readOptions() {
  const text = { type: 'string' } as const
  const options = {
    seeds: text,
    from: text,
    seed: text,
    faults: text,
    history: text,
    help: { type: 'boolean' },
  } as const
  const { values } = parseArgs({ options })
  const faults = (values.faults ?? '').split(',').filter((name) => name !== '')
  const unknown = faults.find((name) => !faultNames.some((known) => known === name))
  if (unknown !== undefined)
    throw new RangeError(`"${unknown}" is not a fault. The faults are ${faultNames.join(', ')}.`)
  const one = values.seed === undefined ? undefined : readNumber('seed', values.seed)
  return {
    help: values.help === true,
    from: one ?? readNumber('from', values.from ?? '1'),
    seeds: one === undefined ? readNumber('seeds', values.seeds ?? '100') : 1,
    faults: faultNames.filter((name) => faults.includes(name)),
    history: values.history,
  }
}

async function main(): Promise<number> {
  let options: ReturnType<typeof readOptions>
  try {
    options = readOptions()
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    return exit.usage
  }
  if (options.help) {
    process.stdout.write(usage)
    return exit.held
  }
  return runSeeds(options)
}

async function runSeeds({ from, seeds, faults, history }: ReturnType<typeof readOptions>): Promise<number> {
  const lines: string[] = []
  let [crashes, violated] = [0, 0]
  const before = process.cpuUsage()
  for (let seed = from; seed < from + seeds; seed++) {
    const outcome = await runWorld({ seed, faults })
    crashes += outcome.crashes
    if (history !== undefined) for (const entry of outcome.history) lines.push(JSON.stringify(entry))
    if (outcome.violations.length === 0) continue
    violated += 1
    process.stdout.write(
      `seed ${seed} breaks a promise:\n${outcome.violations.map((each) => `  ${each}\n`).join('')}`,
    )
    process.stdout.write(
      `  again: npm run simulate -- --seed ${seed}${faults.length > 0 ? ` --faults ${faults.join(',')}` : ''}\n`,
    )
  }
  if (history !== undefined) writeFileSync(history, lines.map((line) => `${line}\n`).join(''))
  const { user, system } = process.cpuUsage(before)
  const perSeed = ((user + system) / 1e6 / seeds).toFixed(2)
  process.stdout.write(
    `${seeds} seeds, ${crashes} crashes, ${violated} with violations, ${perSeed} CPU s per seed\n`,
  )
  return violated === 0 ? exit.held : exit.violated
}

process.exitCode = await main()
