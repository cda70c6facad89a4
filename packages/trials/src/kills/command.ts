import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exitCodes, runCommand } from '@trade-gateway/connector-kit/command-line'
import { SandboxError } from '@trade-gateway/connector-kit/sandbox/programs'
import { ProcessFailed } from '../child-process.ts'
import { NoUsableResponse } from '../client.ts'
import { Progress } from '../progress.ts'
import { readOptions, usage } from './options.ts'
import { runKills } from './run.ts'
import { formatSummary, judgeKills } from './summary.ts'

/** The end of a trial that a signal stopped. */
class Stopped extends Error {}

async function run(args: readonly string[]): Promise<number | 'usage'> {
  const options = readOptions(args)
  if (options === 'usage') return 'usage'
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => stop.abort(new Stopped('Stopped before the end.')))
  const progress = new Progress(process.stderr)
  const directory = await mkdtemp(join(tmpdir(), 'trade-gateway-kills-'))
  try {
    const verdict = judgeKills(options, await runKills(options, { directory, progress }, stop.signal))
    if (options.report !== undefined) await writeFile(options.report, `${JSON.stringify(verdict, null, 2)}\n`)
    process.stdout.write(formatSummary(verdict))
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

await runCommand({ usage, run, explained: [ProcessFailed, SandboxError, NoUsableResponse, Stopped] })
