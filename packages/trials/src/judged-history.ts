/** The history of a trial: recorded to a file while it runs, and judged at its end. */
import { join } from 'node:path'
import { checkHistory } from '../../simulator/src/checker/check.ts'
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
  /** Ends the recording and judges it. Throws `HistoryError` if the file is not what was recorded. */
  judge(): Promise<HistoryFinding[]>
}

const maxWitnessLines = 3

/** Starts a history at `path`, or in the folder of the trial. Throws what the file system throws. */
export function startHistory(path: string | undefined, directory: string): JudgedHistory {
  const file = path ?? join(directory, 'history.jsonl')
  const began = performance.now()
  const recorder = new HistoryRecorder(openHistoryFile(file), () => performance.now() - began)
  return {
    recorder,
    async judge() {
      recorder.end()
      const { violations } = checkHistory(await readHistory(file))
      return violations.map(({ anomaly, key, story, witness }) => ({
        kind: 'impossible',
        subject: `${anomaly} ${key}`,
        story: [story, ...witness.slice(-maxWitnessLines)].join('; '),
      }))
    },
  }
}
