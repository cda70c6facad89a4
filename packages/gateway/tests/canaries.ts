import { jsonLog, type Log } from '../src/kernel/log.ts'

/**
 * Values that must never appear in the log. Each test adds its own values, and every gateway under test searches all
 * its log lines for them, at every level.
 */
const planted = new Set<string>()
const minLength = 8

/**
 * Adds secrets and personal data to search for. Values of fewer than eight characters are left out, because they may
 * appear by chance.
 */
export function plantCanaries(...secrets: readonly (string | undefined)[]) {
  for (const secret of secrets) if (secret !== undefined && secret.length >= minLength) planted.add(secret)
}

export interface WatchedLog {
  readonly log: Log
  /** Returns the log lines that contain a planted value. */
  listLeaks(): readonly string[]
}

/** Creates a log that records every level, prints nothing, and collects the lines that contain a planted value. */
export function createWatchedLog(): WatchedLog {
  const lines: string[] = []
  const leaks: string[] = []
  const findLeaks = () => {
    const secrets = [...planted]
    for (const line of lines.splice(0)) if (secrets.some((secret) => line.includes(secret))) leaks.push(line)
    return leaks
  }
  const maxUnread = 500
  return {
    log: jsonLog('debug', {
      write(line: string) {
        lines.push(line)
        if (lines.length >= maxUnread) findLeaks()
      },
    }),
    listLeaks: findLeaks,
  }
}
