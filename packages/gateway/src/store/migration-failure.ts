/** Says of a failed migration what happened, what to do, and how the database puts it. */

import { busyExit, StoreUnusable } from './store.ts'
import { findStorageTrouble, isCorrupt, isLockTimeout, lacksRight } from './trouble.ts'

const failureExit = 1
const configurationExit = 78

/** How Kysely calls a list of executed migrations that this release does not have in this order. */
const otherRelease = /^corrupted migrations: /

/** Returns the error that ends the start. Storage trouble stays as it is: the program explains it for every use. */
export function explainMigrationFailure(error: unknown): unknown {
  if (error instanceof StoreUnusable || findStorageTrouble(error)) return error
  const words = error instanceof Error ? error.message : String(error)
  const [sentence, exitCode] = explain(error, words)
  return new StoreUnusable(`${sentence} (${words})`, exitCode, error)
}

function explain(error: unknown, words: string): readonly [sentence: string, exitCode: number] {
  if (isCorrupt(error))
    return ['The database is damaged. Restore a backup and start with --restored.', failureExit]
  if (otherRelease.test(words))
    return [
      'The database could not be migrated to this version. A newer gateway may have used it: install that version, or restore a backup.',
      configurationExit,
    ]
  if (lacksRight(error))
    return [
      'The role of DATABASE_URL lacks a right that a migration requires. It must have USAGE and CREATE on the schema of the tables (GRANT USAGE, CREATE ON SCHEMA public TO …), and own the tables that exist. Grant what is missing, and start again.',
      configurationExit,
    ]
  if (isLockTimeout(error))
    return [
      'The database could not be migrated to this version, because another session uses a table all the time. Wait for that session or end it (pg_locks and pg_stat_activity show it), and start again.',
      busyExit,
    ]
  return [
    'The database could not be migrated to this version. Correct what the database says, and start again.',
    failureExit,
  ]
}
