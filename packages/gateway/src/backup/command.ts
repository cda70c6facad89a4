/** What the commands for backups share: settings, exit codes and messages. */

import { type Config, ConfigError, defaultDataDir, readConfig } from '../config.ts'
import { formatInstant } from '../kernel/clock.ts'
import { DataDirBusy } from '../start/lock.ts'
import { NotConfigured } from '../start/running-gateway.ts'
import { readKeptSettings, readSettings } from '../start/settings.ts'
import { StoreUnusable } from '../store/store.ts'
import { findStorageTrouble } from '../store/trouble.ts'
import type { Proof } from './proof.ts'

export const exit = { ok: 0, failure: 1, usage: 64, busy: 75, configuration: 78 } as const

/** Wrong usage; the message says what is wrong. */
export class UsageError extends Error {}

/** Reads the settings of the gateway whose directory is the working directory. */
export function readCommandConfig(
  environment: NodeJS.ProcessEnv,
  directory: string,
): { readonly config: Config; readonly environment: NodeJS.ProcessEnv } {
  const given = readSettings(environment, directory)
  const dataDir = given.DATA_DIR || defaultDataDir
  return { config: readConfig({ ...readKeptSettings(dataDir), ...given }), environment }
}

/** Describes in words what a backup contains. */
export function describeProof({ taken_at, bytes, counts, stock }: Proof): string {
  const rows = stock.reduce((sum, each) => sum + each.rows, 0)
  const orders = (counts.orders ?? 0) + (counts.dropship_orders ?? 0)
  return `Taken at ${formatInstant(taken_at)}: ${bytes} bytes, ${orders} orders, ${rows} rows of stock in ${stock.length} warehouses.`
}

/** Returns what a failed command prints, and its exit code. */
export function explainFailure(
  error: unknown,
  usage: string,
): { readonly message: string; readonly code: number } {
  const message = error instanceof Error ? error.message : String(error)
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (error instanceof UsageError || code.startsWith('ERR_PARSE_ARGS'))
    return { message: `${message}\n\n${usage}`, code: exit.usage }
  if (error instanceof ConfigError) {
    const problems = error.problems.map((each) => `  - ${each}`).join('\n')
    return { message: `The configuration is not valid:\n${problems}`, code: exit.configuration }
  }
  if (error instanceof NotConfigured) return { message, code: exit.configuration }
  if (error instanceof DataDirBusy) return { message, code: exit.busy }
  if (error instanceof StoreUnusable) return { message, code: error.exitCode }
  if (findStorageTrouble(error) === 'storage_full')
    return {
      message: `The disk is full. Free some space and run the command again. (${message})`,
      code: exit.failure,
    }
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : ''
  return { message: `${message}${cause}`, code: exit.failure }
}
