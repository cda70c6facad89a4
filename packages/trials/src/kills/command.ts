import { exitCodes, runCommand, writeOutputFile } from '@trade-gateway/connector-kit/command-line'
import { explainedFailures, runInOwnDirectory } from '../trial-command.ts'
import { readOptions, usage } from './options.ts'
import { runKills } from './run.ts'
import { formatSummary, judgeKills } from './summary.ts'

async function run(args: readonly string[]): Promise<number | 'usage'> {
  const options = readOptions(args)
  if (options === 'usage') return 'usage'
  return runInOwnDirectory('kills', async (place, signal) => {
    const verdict = judgeKills(options, await runKills(options, place, signal))
    process.stdout.write(formatSummary(verdict))
    if (options.report !== undefined) writeOutputFile(options.report, `${JSON.stringify(verdict, null, 2)}\n`)
    return verdict.kept ? exitCodes.ended : exitCodes.failed
  })
}

await runCommand({ usage, run, explained: explainedFailures })
