import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { exitCodes, parseArguments, runCommand, UsageError } from '@trade-gateway/connector-kit/command-line'
import { startGateway } from '../running-gateway.ts'
import { explainedFailures, runInOwnDirectory } from '../trial-command.ts'
import { getPageFilePath, listPages } from './list-pages.ts'
import { readSamples } from './page.ts'
import { type PageOutcome, runPage } from './run.ts'

const usage = `Runs the samples of the documentation and compares their output with the pages.

  npm run samples -- [--capture] [page…]

Each page runs on its own new gateway and in its own shell. Blocks marked "run" are executed in order, and a block
marked "output" shows the output of the previous block. Ids, times, tokens, versions and remaining points are not
compared.

  <page>     the path of a page, such as guides/wholesale-order; default: all pages
  --capture  writes the real output into the pages
  --help     prints this text

Exit codes: 0 all pages match, 1 some do not, 64 wrong usage.
`

/** The number of pages that run at the same time, each with its own gateway and ERP. */
const maxParallelPages = 2
const installedModules = fileURLToPath(import.meta.resolve('../../../../node_modules'))

async function readOptions(args: readonly string[]) {
  const { values, positionals } = parseArguments(args, {
    capture: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  })
  if (values.help) return 'usage'
  const pages = await listPages()
  const unknown = positionals.find((name) => !pages.includes(name))
  if (unknown !== undefined) throw new UsageError(`There is no page ${unknown}. Pages: ${pages.join(', ')}.`)
  return { capture: values.capture, pages: positionals.length > 0 ? positionals : pages }
}

async function run(args: readonly string[]): Promise<number | 'usage'> {
  const options = await readOptions(args)
  if (options === 'usage') return 'usage'
  return runInOwnDirectory('samples', async ({ directory }, signal) => {
    const outcomes = await runPages(options.pages, { directory, capture: options.capture }, signal)
    const failed = outcomes.filter(({ problems }) => problems.length > 0).length
    process.stdout.write(`${outcomes.length - failed} pages ok, ${failed} failed\n`)
    return failed === 0 ? exitCodes.ended : exitCodes.failed
  })
}

/**
 * Runs each page on its own gateway. If there are several pages, each starts on a copy of one filled data directory.
 */
async function runPages(
  pages: readonly string[],
  { directory, capture }: { readonly directory: string; readonly capture: boolean },
  signal: AbortSignal,
) {
  const first = pages.length > 1 ? await fillDataDirectory(directory, signal) : undefined
  const waiting = [...pages]
  const outcomes: PageOutcome[] = []
  const runWaitingPages = async () => {
    for (let page = waiting.shift(); page !== undefined; page = waiting.shift()) {
      const source = await readFile(getPageFilePath(page), 'utf8')
      if (readSamples(source).length === 0) continue
      const outcome = await runOnFreshGateway(
        { directory: join(directory, page), data: first, source, capture },
        signal,
      )
      if (outcome.source !== source) await writeFile(getPageFilePath(page), outcome.source)
      printOutcome(page, outcome, outcome.source !== source)
      outcomes.push(outcome)
    }
  }
  await Promise.all(Array.from({ length: Math.min(maxParallelPages, pages.length) }, runWaitingPages))
  return outcomes
}

async function fillDataDirectory(directory: string, signal: AbortSignal): Promise<string> {
  const first = join(directory, 'first')
  await mkdir(first)
  const gateway = await startGateway(first, undefined, signal)
  await gateway.stop()
  return join(first, 'data')
}

interface PageRun {
  readonly directory: string
  /** The data directory to copy; without it, the gateway fills its own. */
  readonly data: string | undefined
  readonly source: string
  readonly capture: boolean
}

async function runOnFreshGateway({ directory, data, source, capture }: PageRun, signal: AbortSignal) {
  await mkdir(directory, { recursive: true })
  if (data !== undefined) await cp(data, join(directory, 'data'), { recursive: true })
  await symlink(installedModules, join(directory, 'node_modules'))
  const gateway = await startGateway(directory, undefined, signal)
  try {
    return await runPage(source, gateway, { directory, isCapturing: capture })
  } finally {
    await gateway.stop()
    await rm(directory, { recursive: true, force: true, maxRetries: 5 })
  }
}

function printOutcome(page: string, { ran, problems }: PageOutcome, isRewritten: boolean) {
  const word = problems.length > 0 ? 'FAILED  ' : 'ok      '
  process.stdout.write(`${word} ${page} (${ran} samples${isRewritten ? ', rewritten' : ''})\n`)
  for (const problem of problems) process.stdout.write(`  ${problem}\n`)
}

await runCommand({
  usage,
  advice: 'Try: npm run samples -- --help\n',
  run,
  explained: explainedFailures,
})
