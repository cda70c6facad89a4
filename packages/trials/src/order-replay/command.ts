import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exitCodes, runCommand, UsageError, writeOutputFile } from '@trade-gateway/connector-kit/command-line'
import { UnreadableFile } from '../../../sandbox-erp/src/catalogue/csv.ts'
import { generateOrders } from '../generate-orders.ts'
import { explainedFailures, runInOwnDirectory } from '../trial-command.ts'
import { DatabaseUnreachable } from './database.ts'
import { readOptions, usage } from './options.ts'
import { runReplay } from './run.ts'
import { formatSummary, judgeReplay } from './summary.ts'

async function run(args: readonly string[]): Promise<number | 'usage'> {
  const options = readOptions(args)
  if (options === 'usage') return 'usage'
  return runInOwnDirectory('replay', async ({ directory, progress }, signal) => {
    const path = options.path ?? join(directory, 'orders.csv')
    if (options.path === undefined) await writeFile(path, generateOrders())
    const replay = { path, directory, progress }
    const verdict = judgeReplay(options, await runReplay(options, replay, signal).catch(explainFile))
    process.stdout.write(formatSummary(verdict))
    if (options.report !== undefined) writeOutputFile(options.report, `${JSON.stringify(verdict, null, 2)}\n`)
    return verdict.kept ? exitCodes.ended : exitCodes.failed
  })
}

/** A file that is none of order lines is a wrong argument. */
function explainFile(error: unknown): never {
  if (error instanceof UnreadableFile) throw new UsageError(error.message, { cause: error })
  throw error
}

await runCommand({
  usage,
  advice: 'Try: npm run replay -- --help\n',
  run,
  explained: [...explainedFailures, DatabaseUnreachable],
})
