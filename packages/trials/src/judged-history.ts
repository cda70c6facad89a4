/** The history of a trial: recorded to a file while it runs, and judged at its end. */
import { join } from 'node:path'
import { checkHistory, type HistoryCounts } from '../../simulator/src/checker/check.ts'
import type { Violation } from '../../simulator/src/checker/violation.ts'
import { readHistory } from '../../simulator/src/history/read-history.ts'
import { HistoryRecorder, openHistoryFile } from '../../simulator/src/history/recorder.ts'

/** A violation of a history as a finding of a trial. */
export interface HistoryFinding {
  readonly kind: 'impossible'
  readonly subject: string
  readonly story: string
}

export interface JudgedHistory {
  readonly recorder: HistoryRecorder
  /** Whether it is kept and judged. */
  readonly isRecorded: boolean
  /** Ends the recording and judges it. Throws `HistoryError` if the file is not what was recorded. */
  judge(): Promise<HistoryFinding[]>
}

/**
 * Where a history is kept: in a file, in the folder of the trial (undefined), or nowhere (null), because it could become
 * longer than the checker reads.
 */
export type HistoryPlace = string | undefined | null

const maxWitnessLines = 3
/** For how long a preview holds stock (`HOLD_TTL_SECONDS`): until then no hold of the trial ends by itself. */
const holdMs = 15 * 60_000

/** Starts a history at its place. Throws what the file system throws. */
export function startHistory(place: HistoryPlace, directory: string): JudgedHistory {
  if (place === null) return startUnrecorded()
  const file = place ?? join(directory, 'history.jsonl')
  const began = performance.now()
  const recorder = new HistoryRecorder(openHistoryFile(file), () => performance.now() - began)
  const expiry = setTimeout(() => recorder.observe('trial', 'time.jumped', {}), holdMs).unref()
  return {
    recorder,
    isRecorded: true,
    async judge() {
      clearTimeout(expiry)
      recorder.end()
      const verdict = checkHistory(await readHistory(file))
      return [...verdict.violations.map(toFinding), ...findUnjudged(verdict)]
    },
  }
}

function toFinding({ anomaly, key, story, witness }: Violation): HistoryFinding {
  return {
    kind: 'impossible',
    subject: `${anomaly} ${key}`,
    story: [story, ...witness.slice(-maxWitnessLines)].join('; '),
  }
}

/** Orders that were confirmed took stock and had events. Without records of these, no history of them is wrong. */
function findUnjudged({ submits, skus, events, copies }: HistoryCounts): HistoryFinding[] {
  if (submits === 0 || (skus > 0 && events > 0 && copies > 0)) return []
  const story = `${submits} submits succeeded, and it has ${skus} SKUs, ${events} events and ${copies} copies of stock to judge`
  return [{ kind: 'impossible', subject: 'the history', story }]
}

/** Keeps nothing and finds nothing. */
function startUnrecorded(): JudgedHistory {
  const sink = { write() {}, close() {} }
  return { recorder: new HistoryRecorder(sink, () => 0), isRecorded: false, judge: () => Promise.resolve([]) }
}
