import { jsonLog, type Log } from '../src/kernel/log.ts'

/**
 * Values that must appear in no log, trace, metric, audit row or response to an operator. Each test adds its own values.
 * Every gateway under test searches its log lines, at every level, its metrics and its audit log for them; `call`
 * searches the operator's responses.
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

/** Finds a planted value in a text; undefined if there is none. */
export function findPlanted(text: string): string | undefined {
  return [...planted].find((secret) => text.includes(secret))
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
    for (const line of lines.splice(0)) if (findPlanted(line) !== undefined) leaks.push(line)
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
