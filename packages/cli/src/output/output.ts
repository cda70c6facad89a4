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

/** Data goes to standard output, and what is said about it to standard error. */
export class Output {
  readonly #sink: Sink

  constructor(sink: Sink) {
    this.#sink = sink
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
   * `ClosedPipe` if the reader has gone, and the system’s error for a full disk.
   */
  write(text: string | Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#sink.write(text, (error) => {
        if (!error) resolve()
        else reject('code' in error && error.code === 'EPIPE' ? new ClosedPipe() : error)
      })
    })
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
