import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generatedOrders } from '../generated-orders.ts'
import { Progress } from '../progress.ts'
import { runReplay } from './run.ts'
import { summaryOf, verdictOf } from './summary.ts'
import { Misused, usage, wantedBy } from './wanted.ts'

const exit = { kept: 0, broken: 1, usage: 64 } as const

async function main(args: readonly string[]): Promise<number> {
  const wanted = wantedBy(args)
  if (wanted === 'help') {
    process.stdout.write(usage)
    return exit.kept
  }
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => stop.abort(new Error('Stopped before the end.')))
  const progress = new Progress(process.stderr)
  const directory = await mkdtemp(join(tmpdir(), 'trade-gateway-replay-'))
  try {
    const path = wanted.path ?? join(directory, 'orders.csv')
    if (wanted.path === undefined) await writeFile(path, generatedOrders())
    const verdict = verdictOf(wanted, await runReplay(wanted, path, directory, progress, stop.signal))
    if (wanted.report !== undefined) await writeFile(wanted.report, `${JSON.stringify(verdict, null, 2)}\n`)
    process.stdout.write(summaryOf(verdict))
    return verdict.kept ? exit.kept : exit.broken
  } finally {
    progress.end()
    await rm(directory, { recursive: true, force: true, maxRetries: 5 })
  }
}

function explained(error: unknown): { message: string; code: number } {
  // What was aborted is told by the reason of it.
  const cause = error instanceof Error && error.name === 'AbortError' ? (error.cause ?? error) : error
  const message = cause instanceof Error ? cause.message : String(cause)
  return cause instanceof Misused
    ? { message: `${message}\nTry: npm run replay -- --help`, code: exit.usage }
    : { message, code: exit.broken }
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
