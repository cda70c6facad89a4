import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exitCodes, runCommand } from '@trade-gateway/connector-kit/command-line'
import { SandboxError } from '@trade-gateway/connector-kit/sandbox/programs'
import { ProcessFailed } from '../child-process.ts'
import { NoUsableResponse } from '../client.ts'
import { formatSummary, judgeKills } from '../kills/summary.ts'
import { Progress } from '../progress.ts'
import { countFaults, readOptions, soakFaults, usage } from './options.ts'
import { runSoak, type SoakResult } from './run.ts'
import { formatMegabytes } from './watch.ts'

/** The end of a soak that a signal stopped. */
class Stopped extends Error {}

async function run(args: readonly string[]): Promise<number | 'usage'> {
  const options = readOptions(args)
  if (options === 'usage') return 'usage'
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => stop.abort(new Stopped('Stopped before the end.')))
  const progress = new Progress(process.stderr)
  const directory = await mkdtemp(join(tmpdir(), 'trade-gateway-soak-'))
  try {
    const result = await runSoak(options, { directory, progress }, stop.signal)
    const verdict = judgeKills(
      { ...options, kills: countFaults(options), stop_ms: 0, faults: soakFaults },
      result.kills,
    )
    const { watched, agents } = result
    if (options.report !== undefined)
      await writeFile(options.report, `${JSON.stringify({ ...verdict, watched, agents }, null, 2)}\n`)
    process.stdout.write(`${formatSummary(verdict)}${formatWatched(result)}`)
    return verdict.kept ? exitCodes.ended : exitCodes.failed
  } catch (error) {
    // Whatever a request or a pause fails with after the signal, the signal is the reason.
    stop.signal.throwIfAborted()
    throw error
  } finally {
    progress.end()
    await rm(directory, { recursive: true, force: true, maxRetries: 5 })
  }
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

await runCommand({ usage, run, explained: [ProcessFailed, SandboxError, NoUsableResponse, Stopped] })
