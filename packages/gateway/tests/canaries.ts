import { jsonLog, type Log } from '../src/kernel/log.ts'

/**
 * Values that must appear in no log, trace, metric, audit row or response to an operator. Each test adds its own values.
 * Every gateway under test searches its log lines, at every level, its metrics and its audit log for them; `call`
 * searches the operator's responses.
 */
const planted = new Map<string, string[]>()
const minLength = 8
const hashedCharacters = 4
/** The ends of the planted values, by their hash: all that the search looks at for nearly every position of a text. */
const knownEnds = new Uint8Array(2 ** 16)

/**
 * Adds secrets and personal data to search for. Values of fewer than eight characters are left out, because they may
 * appear by chance.
 */
export function plantCanaries(...secrets: readonly (string | undefined)[]) {
  for (const secret of secrets) {
    if (secret === undefined || secret.length < minLength) continue
    // By its end, because all tokens begin with the same words.
    const end = secret.slice(-minLength)
    const sameEnd = planted.get(end) ?? []
    if (sameEnd.includes(secret)) continue
    planted.set(end, [...sameEnd, secret])
    knownEnds[hashEnd(secret, secret.length)] = 1
  }
}

/**
 * Finds a planted value in a text; undefined if there is none. A worker plants thousands of values and writes tens of
 * thousands of lines, so each text is read once, whatever the number of values.
 */
export function findPlanted(text: string): string | undefined {
  for (let end = minLength; end <= text.length; end++) {
    if (knownEnds[hashEnd(text, end)] === 0) continue
    const found = planted.get(text.slice(end - minLength, end))
    const secret = found?.find((each) => text.endsWith(each, end))
    if (secret !== undefined) return secret
  }
  return undefined
}

/** Hashes the last characters before `end` to 16 bits. */
function hashEnd(text: string, end: number): number {
  let hash = 0
  for (let at = end - hashedCharacters; at < end; at++) hash = (hash * 37 + text.charCodeAt(at)) & 0xffff
  return hash
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
