import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startGateway } from '../running-gateway.ts'
import { fileOf, pageNames } from './library.ts'
import { samplesOf } from './page.ts'
import { type Outcome, runPage } from './run.ts'

const usage = `Runs the samples of the documentation and compares what they print with what the pages show.

  npm run samples -- [--capture] [page…]

Each page gets a gateway of its own, as fresh as a first start, and a shell of its own. Blocks marked "run" are
executed in order; the block marked "output" after one shows what it printed. Ids, times, tokens, versions and what
is left of the points are not compared.

  <page>     the path of a page, as in guides/wholesale-order; without one: every page
  --capture  write what was printed into the pages
  --help     this text

Exit codes: 0 every page is true, 1 some are not, 64 called wrongly.
`

const exit = { same: 0, different: 1, usage: 64 } as const
/** Pages that run side by side, each with a gateway and an ERP. */
const lanes = 2
const installedModules = fileURLToPath(import.meta.resolve('../../../../node_modules'))

/** What the arguments are wrong in, as a sentence. */
class Misused extends Error {}

async function wantedBy(args: string[]) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      capture: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const pages = await pageNames()
  const unknown = positionals.find((name) => !pages.includes(name))
  if (unknown !== undefined) throw new Misused(`There is no page ${unknown}. Pages: ${pages.join(', ')}.`)
  return { ...values, pages: positionals.length > 0 ? positionals : pages }
}

async function main(args: string[]): Promise<number> {
  const { help, capture, pages } = await wantedBy(args)
  if (help) {
    process.stdout.write(usage)
    return exit.same
  }
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => stop.abort(new Error('Stopped before the end.')))
  const directory = await mkdtemp(join(tmpdir(), 'trade-gateway-samples-'))
  try {
    const outcomes = await runPages(pages, directory, capture, stop.signal)
    const failed = outcomes.filter(({ problems }) => problems.length > 0).length
    process.stdout.write(`${outcomes.length - failed} pages ok, ${failed} failed\n`)
    return failed === 0 ? exit.same : exit.different
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Gives each page a gateway of its own; of several pages, each starts on a copy of one filled data directory. */
async function runPages(pages: readonly string[], directory: string, capture: boolean, signal: AbortSignal) {
  const first = pages.length > 1 ? await filledData(directory, signal) : undefined
  const waiting = [...pages]
  const outcomes: Outcome[] = []
  const lane = async () => {
    for (let page = waiting.shift(); page !== undefined; page = waiting.shift()) {
      const source = await readFile(fileOf(page), 'utf8')
      if (samplesOf(source).length === 0) continue
      const outcome = await withGateway(join(directory, page), first, source, capture, signal)
      if (outcome.source !== source) await writeFile(fileOf(page), outcome.source)
      tell(page, outcome, outcome.source !== source)
      outcomes.push(outcome)
    }
  }
  await Promise.all(Array.from({ length: Math.min(lanes, pages.length) }, lane))
  return outcomes
}

async function filledData(directory: string, signal: AbortSignal): Promise<string> {
  const first = join(directory, 'first')
  await mkdir(first)
  const gateway = await startGateway(first, undefined, signal)
  await gateway.stop()
  return join(first, 'data')
}

async function withGateway(
  directory: string,
  data: string | undefined,
  source: string,
  capture: boolean,
  signal: AbortSignal,
) {
  await mkdir(directory, { recursive: true })
  if (data !== undefined) await cp(data, join(directory, 'data'), { recursive: true })
  await symlink(installedModules, join(directory, 'node_modules'))
  const gateway = await startGateway(directory, undefined, signal)
  try {
    return await runPage(source, gateway, directory, capture)
  } finally {
    await gateway.stop()
    await rm(directory, { recursive: true, force: true, maxRetries: 5 })
  }
}

function tell(page: string, { ran, problems }: Outcome, isRewritten: boolean) {
  const word = problems.length > 0 ? 'FAILED  ' : 'ok      '
  process.stdout.write(`${word} ${page} (${ran} samples${isRewritten ? ', rewritten' : ''})\n`)
  for (const problem of problems) process.stdout.write(`  ${problem}\n`)
}

function explained(error: unknown): { message: string; code: number } {
  const message = error instanceof Error ? error.message : String(error)
  const isMisuse =
    error instanceof Misused ||
    (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))
  return isMisuse
    ? { message: `${message}\nTry: npm run samples -- --help`, code: exit.usage }
    : { message, code: exit.different }
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    const { message, code } = explained(error)
    process.stderr.write(`${message}\n`)
    process.exitCode = code
  },
)
