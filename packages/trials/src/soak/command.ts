import { exitCodes, runCommand, writeOutputFile } from '@trade-gateway/connector-kit/command-line'
import { formatSummary, judgeKills } from '../kills/summary.ts'
import { explainedFailures, runInOwnDirectory } from '../trial-command.ts'
import { countFaults, readOptions, type SoakOptions, soakFaults, usage } from './options.ts'
import { runSoak, type SoakResult } from './run.ts'
import { formatMegabytes } from './watch.ts'

async function run(args: readonly string[]): Promise<number | 'usage'> {
  const options = readOptions(args)
  if (options === 'usage') return 'usage'
  return runInOwnDirectory('soak', async (place, signal) => {
    const result = await runSoak(options, place, signal)
    const judged = { ...options, kills: countFaults(options), stop_ms: 0, faults: soakFaults }
    const verdict = judgeKills(judged, result.kills)
    const { watched, agents } = result
    const judged_history = options.history !== null
    process.stdout.write(`${formatSummary(verdict)}${formatWatched(result)}${formatHistory(options)}`)
    if (options.report !== undefined)
      writeOutputFile(
        options.report,
        `${JSON.stringify({ ...verdict, watched, agents, judged_history }, null, 2)}\n`,
      )
    return verdict.kept ? exitCodes.ended : exitCodes.failed
  })
}

function formatWatched({ watched, agents }: SoakResult): string {
  const { memory, p99_ms, period_ms, reads } = watched
  const minutes = Math.round(period_ms / 60_000)
  return [
    `Memory        ${formatMegabytes(memory.second)} in the second quarter, ${formatMegabytes(memory.last)} in the last one: ${(memory.last / memory.second).toFixed(3)}`,
    `Reads         ${reads} of one row; p99 ${p99_ms.first.toFixed(1)} ms in the first ${minutes} min, ${p99_ms.last.toFixed(1)} ms in the last: ${(p99_ms.last / p99_ms.first).toFixed(2)}`,
    `Agents        ${agents.served} calls served, ${agents.failed} failed during kills`,
    '',
  ].join('\n')
}

function formatHistory({ history }: SoakOptions): string {
  return history === null
    ? 'History       not recorded, because it could become longer than the checker reads\n'
    : ''
}

await runCommand({ usage, run, explained: explainedFailures })
