import { closeSync, openSync, writeSync } from 'node:fs'
import { OutputError } from '@trade-gateway/connector-kit/command-line'
import type { HistoryEntry } from './entry.ts'
import type { ClientOperation, Observation, Observed, OperationInput, OperationOutput } from './operations.ts'

/** The characters that are kept in memory before they are written to the file. */
const maxBufferedCharacters = 64 * 1024

/** How an operation ended. `ok` has an output, and a refusal may have its reason there. */
export type OperationEnd<Name extends ClientOperation> =
  | { readonly type: 'ok'; readonly output?: OperationOutput<Name> }
  | { readonly type: 'refused' | 'unknown'; readonly output?: unknown }

/** Where a history goes: the text of some whole lines at a time. */
export interface HistorySink {
  write(text: string): void
  close(): void
}

/** Opens a file for a history, which replaces its former contents. This and writing throw `OutputError`. */
export function openHistoryFile(path: string): HistorySink {
  const file = nameFile(path, () => openSync(path, 'w'))
  return {
    write: (text) => void nameFile(path, () => writeSync(file, text)),
    close: () => closeSync(file),
  }
}

/** The system's errors of an open file do not name it. */
function nameFile<T>(path: string, use: () => T): T {
  try {
    return use()
  } catch (cause) {
    throw new OutputError(path, cause)
  }
}

/** Writes a history while it happens. It keeps no more in memory than one buffer. */
export class HistoryRecorder {
  readonly #sink: HistorySink
  readonly #now: () => number
  #buffer = ''
  #entries = 0
  #lastId = 0

  /** `now` returns the milliseconds since the run began. */
  constructor(sink: HistorySink, now: () => number) {
    this.#sink = sink
    this.#now = now
  }

  /** Records that an operation begins. Returns the function that records its end, once. */
  begin<Name extends ClientOperation>(
    client: string,
    operation: Name,
    input?: OperationInput<Name>,
  ): (end: OperationEnd<Name>) => void {
    const id = ++this.#lastId
    this.#add({ client, id, type: 'invoke', operation, input })
    let hasEnded = false
    return ({ type, output }) => {
      if (hasEnded) throw new Error(`Operation ${id} (${operation}) ended twice.`)
      hasEnded = true
      this.#add({ client, id, type, operation, output })
    }
  }

  observe<Name extends Observation>(client: string, operation: Name, output: Observed<Name>): void {
    this.#add({ client, id: ++this.#lastId, type: 'observed', operation, output })
  }

  /** Writes the last line, which says that the history is whole. */
  end(): void {
    this.observe('recorder', 'history.end', { entries: this.#entries })
    this.flush()
    this.#sink.close()
  }

  /** Writes what is still in memory. */
  flush(): void {
    if (this.#buffer === '') return
    this.#sink.write(this.#buffer)
    this.#buffer = ''
  }

  #add(entry: Omit<HistoryEntry, 'at'>): void {
    this.#entries += 1
    this.#buffer += `${JSON.stringify({ at: Math.round(this.#now()), ...entry })}\n`
    if (this.#buffer.length >= maxBufferedCharacters) this.flush()
  }
}
