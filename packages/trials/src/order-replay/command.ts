import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateOrders } from '../generate-orders.ts'
import { Progress } from '../progress.ts'
import { readOptions, UsageError, usage } from './options.ts'
import { runReplay } from './run.ts'
import { formatSummary, judgeReplay } from './summary.ts'

const exit = { kept: 0, broken: 1, usage: 64 } as const

async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args)
  if (options === 'help') {
    process.stdout.write(usage)
    return exit.kept
  }
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => stop.abort(new Error('Stopped before the end.')))
  const progress = new Progress(process.stderr)
  const directory = await mkdtemp(join(tmpdir(), 'trade-gateway-replay-'))
  try {
    const path = options.path ?? join(directory, 'orders.csv')
    if (options.path === undefined) await writeFile(path, generateOrders())
    const verdict = judgeReplay(options, await runReplay(options, { path, directory, progress }, stop.signal))
    process.stdout.write(formatSummary(verdict))
    if (options.report !== undefined) await writeFile(options.report, `${JSON.stringify(verdict, null, 2)}\n`)
    return verdict.kept ? exit.kept : exit.broken
  } finally {
    progress.end()
    await rm(directory, { recursive: true, force: true, maxRetries: 5 })
  }
}

function explainError(error: unknown): { message: string; code: number } {
  // The cause is the reason why the run was aborted.
  const cause = error instanceof Error && error.name === 'AbortError' ? (error.cause ?? error) : error
  const message = cause instanceof Error ? cause.message : String(cause)
  return cause instanceof UsageError
    ? { message: `${message}\nTry: npm run replay -- --help`, code: exit.usage }
    : { message, code: exit.broken }
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    const { message, code } = explainError(error)
    process.stderr.write(`${message}\n`)
    process.exitCode = code
  },
)
