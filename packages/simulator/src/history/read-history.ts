import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { type HistoryEntry, historyEntry } from './entry.ts'
import { HistoryError } from './history.ts'
import { observations } from './operations.ts'

/** The largest history that is read, in lines. The checker keeps all of them in memory. */
export const maxEntries = 3_000_000
/** The largest line, in characters. */
const maxLineCharacters = 16 * 1024 * 1024

/**
 * Reads a history from a file of JSON lines. Throws `HistoryError` if a line is not an entry, or if the last line does
 * not say that the history is whole, because a cut history would look like one in which something was lost.
 */
export async function readHistory(path: string): Promise<HistoryEntry[]> {
  const entries: HistoryEntry[] = []
  const file = createReadStream(path, 'utf8')
  try {
    for await (const line of createInterface({ input: file, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (entries.length >= maxEntries)
        throw new HistoryError(`${path} has more than ${maxEntries.toLocaleString('en')} lines.`)
      entries.push(parseLine(path, line, entries.length + 1))
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error)
      throw new HistoryError(`${path} cannot be read: ${describeReason(error)}.`, { cause: error })
    throw error
  } finally {
    file.destroy()
  }
  requireEnd(path, entries)
  return entries
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
}

function describeReason({ code, message }: Error & { readonly code: unknown }): string {
  return reasons[String(code)] ?? message
}

function parseLine(path: string, line: string, number: number): HistoryEntry {
  if (line.length <= maxLineCharacters) {
    try {
      return historyEntry.parse(JSON.parse(line))
    } catch {
      // The sentence below explains it better than the parser.
    }
  }
  throw new HistoryError(
    `Line ${number} of ${path} is not an entry of a history. The file may be cut, or another file.`,
  )
}

function requireEnd(path: string, entries: readonly HistoryEntry[]): void {
  const last = entries.at(-1)
  const end =
    last?.operation === 'history.end' ? observations['history.end'].safeParse(last.output) : undefined
  if (end?.success && end.data.entries === entries.length - 1) return
  throw new HistoryError(
    end?.success
      ? `${path} has ${entries.length - 1} entries, and its last line counts ${end.data.entries}: some are missing or added.`
      : `${path} is cut: its last line does not say that the history is whole.`,
  )
}
