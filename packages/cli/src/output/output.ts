import { ClosedPipe } from '../failures.ts'
import { formatTable, type Row } from './table.ts'
import { cleanText } from './text.ts'

/** Where a command writes. Tests write into memory. */
export interface Sink {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  write(text: string | Uint8Array, done: (error?: Error | null) => void): boolean
  on(event: 'error', listener: (error: Error) => void): unknown
}

/** How long a command that a signal has ended waits for a reader, so that one that reads gets whole lines. */
const maxLastWriteMs = 1_000

/** Data goes to standard output, and what is said about it to standard error. */
export class Output {
  readonly #sink: Sink
  readonly #signal: AbortSignal | undefined

  /** After the signal, a reader that takes nothing holds nobody up any more. */
  constructor(sink: Sink, signal?: AbortSignal) {
    this.#sink = sink
    this.#signal = signal
    // Each write reports its own failure. Without a listener, the event would end the process.
    sink.on('error', () => {})
  }

  get isTerminal(): boolean {
    return this.#sink.isTTY === true
  }

  get columns(): number {
    return this.#sink.columns ?? 80
  }

  /**
   * Writes, and resolves when the text is out of the process, so that a slow reader slows the command. Throws
   * `ClosedPipe` if the reader has gone, the system’s error for a full disk, and the reason of the signal if the reader
   * takes nothing after it.
   */
  write(text: string | Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      const forget = this.#watchSignal(reject)
      this.#sink.write(text, (error) => {
        forget()
        if (!error) resolve()
        else reject('code' in error && error.code === 'EPIPE' ? new ClosedPipe() : error)
      })
    })
  }

  /** Calls back some time after the signal, until the returned function is called. */
  #watchSignal(giveUp: (reason: unknown) => void): () => void {
    const signal = this.#signal
    let timer: NodeJS.Timeout | undefined
    const wait = () => {
      timer = setTimeout(() => giveUp(signal?.reason), maxLastWriteMs)
    }
    if (signal?.aborted) wait()
    else signal?.addEventListener('abort', wait, { once: true })
    return () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', wait)
    }
  }

  line(text = ''): Promise<void> {
    return this.write(`${text}\n`)
  }

  /** Writes a value as one line of JSON. */
  json(value: unknown): Promise<void> {
    return this.line(JSON.stringify(value))
  }

  /** Writes rows as an aligned table with a header. */
  table(rows: readonly Row[], columns?: readonly string[]): Promise<void> {
    return this.write(formatTable(rows, columns))
  }

  /** Writes the fields of a document, one on a line. A nested field is named by its path. */
  document(value: object): Promise<void> {
    const fields = listFields(value)
    const width = Math.max(0, ...fields.map(([path]) => path.length))
    return this.write(fields.map(([path, each]) => `${path.padEnd(width)}  ${cleanText(each)}\n`).join(''))
  }
}

type Field = readonly [path: string, value: unknown]

function listFields(value: object, above = ''): Field[] {
  return Object.entries(value).flatMap(([name, each]): Field[] => {
    const path = above === '' ? name : `${above}.${name}`
    const isNested = typeof each === 'object' && each !== null && Object.keys(each).length > 0
    const isListOfWords = Array.isArray(each) && each.every((item) => typeof item !== 'object')
    if (isListOfWords) return [[path, each.join(', ') || '-']]
    return isNested ? listFields(each, path) : [[path, each]]
  })
}
