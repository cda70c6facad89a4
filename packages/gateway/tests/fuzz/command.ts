/** `npm run fuzz` sends random input to everything that reads what strangers send. */
import { exitCodes, parseOptions, runCommand, UsageError } from '@trade-gateway/connector-kit/command-line'
import fc from 'fast-check'
import { keepInput } from './corpus.ts'
import type { FuzzTarget } from './target.ts'
import { targets } from './targets.ts'

const usage = `Sends random input to everything that reads what strangers send, for a time.

  npm run fuzz -- --minutes N [--only NAME] [--seed S]

  --minutes N  the time for all targets together, such as 0.5; from 0.05 to 600
  --only NAME  only this target: ${targets.map(({ name }) => name).join(', ')}
  --seed S     the seed of the first input; default: the time
  --help       prints this text

An input that breaks a guarantee is made as small as possible and kept below packages/gateway/tests/fuzz/corpus, which
npm test replays. Exit codes: 0 nothing broke, 1 something did, 64 wrong usage.
`
const maxRuns = 1_000_000_000
const [minMinutes, maxMinutes] = [0.05, 600]
const maxSeed = 2 ** 31 - 1

interface FuzzOptions {
  readonly minutes: number
  readonly chosen: readonly FuzzTarget[]
  readonly seed: number
}

function readOptions(args: readonly string[]): FuzzOptions | 'usage' {
  const values = parseOptions(args, {
    minutes: { type: 'string' },
    only: { type: 'string' },
    seed: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  })
  if (values.help) return 'usage'
  const minutes = /^\d{1,3}(?:\.\d{1,3})?$/.test(values.minutes ?? '') ? Number(values.minutes) : Number.NaN
  if (!(minutes >= minMinutes && minutes <= maxMinutes))
    throw new UsageError(
      `--minutes must be from ${minMinutes} to ${maxMinutes}, not "${values.minutes ?? ''}".`,
    )
  const chosen = targets.filter(({ name }) => values.only === undefined || name === values.only)
  if (chosen.length === 0) throw new UsageError(`--only has no target "${values.only}".`)
  const seed = values.seed === undefined ? Date.now() % maxSeed : Number(values.seed)
  if (!(/^\d+$/.test(values.seed ?? '0') && seed <= maxSeed))
    throw new UsageError(`--seed must be a whole number from 0 to ${maxSeed}, not "${values.seed}".`)
  return { minutes, chosen, seed }
}

/** Fuzzes one target. Returns whether nothing broke. */
async function fuzz({ name, inputs, open }: FuzzTarget, ms: number, seed: number): Promise<boolean> {
  const opened = await open()
  let runs = 0
  let last: { readonly input: unknown; readonly checked: void | Promise<void> } | undefined
  const property = fc.asyncProperty(inputs, async (input) => {
    runs += 1
    last = { input, checked: opened.check(input) }
    await last.checked
  })
  const limits = { interruptAfterTimeLimit: ms, markInterruptAsFailure: false, numRuns: maxRuns }
  const result = await fc.check(property, { seed, ...limits })
  // The time of a target ends while its last input is checked, and a hang shows only later.
  const lateError: unknown = await Promise.resolve(last?.checked).then(
    () => undefined,
    (error: unknown) => error,
  )
  await opened.close?.()
  const count = `${name}: ${runs.toLocaleString('en')} runs, seed ${seed}`
  const broken = result.counterexample
    ? { input: result.counterexample[0], error: result.errorInstance }
    : lateError !== undefined && { input: last?.input, error: lateError }
  if (!broken) {
    process.stdout.write(`${count}\n`)
    return true
  }
  const path = keepInput(name, broken.input)
  process.stdout.write(`${count}: BROKEN: ${String(broken.error)}\n  kept as ${path}\n`)
  return false
}

async function run(args: readonly string[]): Promise<number | 'usage'> {
  const options = readOptions(args)
  if (options === 'usage') return 'usage'
  const { minutes, chosen, seed } = options
  let isSound = true
  for (const target of chosen) {
    const isKept = await fuzz(target, (minutes * 60_000) / chosen.length, seed)
    isSound &&= isKept
  }
  return isSound ? exitCodes.ended : exitCodes.failed
}

await runCommand({ usage, run })
