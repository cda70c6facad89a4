import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Progress } from '@trade-gateway/connector-kit/progress'
import { SandboxError } from '@trade-gateway/connector-kit/sandbox/programs'
import { GatewayError } from '@trade-gateway/sdk'
import { MirrorError } from '@trade-gateway/sdk/mirror'
import { HistoryError } from '../../simulator/src/history/history.ts'
import { ProcessFailed } from './child-process.ts'
import { NoUsableResponse } from './client.ts'

/** The end of a trial that a signal stopped. */
class Stopped extends Error {}

/** What a trial may fail with, whose message says everything. */
export const explainedFailures = [
  ...[ProcessFailed, SandboxError, HistoryError, Stopped],
  ...[NoUsableResponse, GatewayError, MirrorError],
]

/** Where a trial works, and where it shows how far it is. */
export interface TrialPlace {
  /** An empty directory, which is removed at the end. */
  readonly directory: string
  readonly progress: Progress
}

/** A signal that SIGINT and SIGTERM abort. */
export function abortOnSignals(): AbortSignal {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => stop.abort(new Stopped('Stopped before the end.')))
  return stop.signal
}

/** Runs a trial in a directory of its own, until it ends or SIGINT or SIGTERM stops it. */
export async function runInOwnDirectory<T>(
  name: string,
  work: (place: TrialPlace, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const signal = abortOnSignals()
  const progress = new Progress(process.stderr)
  const directory = await mkdtemp(join(tmpdir(), `trade-gateway-${name}-`))
  try {
    return await work({ directory, progress }, signal)
  } catch (error) {
    // Whatever a request or a pause fails with after the signal, the signal is the reason.
    signal.throwIfAborted()
    // A pause that another reason ends says only that it was aborted.
    throw error instanceof Error && error.name === 'AbortError' ? (error.cause ?? error) : error
  } finally {
    progress.end()
    await rm(directory, { recursive: true, force: true, maxRetries: 5 })
  }
}
