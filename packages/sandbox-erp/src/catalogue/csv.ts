import { createReadStream, type ReadStream } from 'node:fs'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { parse } from 'csv-parse'

/** The largest record, in bytes: a quote that is never closed must not gather the rest of the file. */
const mostRecordBytes = 64 * 1024

/** A record of a CSV file: its fields as they stand there, and the line on which it begins, from 1. */
export interface CsvRecord {
  readonly line: number
  readonly fields: readonly string[]
}

export interface CsvLimits {
  /** Bytes of text; of a `.gz` file, after unpacking. */
  readonly most_bytes: number
  readonly most_lines: number
  /** Told now and then how many bytes of the file itself were read. */
  readonly onBytes?: (bytes: number) => void
}

/** A file that cannot be read as CSV. The message is a sentence for whoever named the file. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile'
}

/**
 * The records of a CSV file (RFC 4180), one after the other, the header among them: UTF-8 with or without a byte
 * order mark, lines ended by LF or CRLF, unpacked when the path ends in `.gz`. Empty lines are passed over. Throws
 * an UnreadableFile when the file is not there, is no such text, has a broken quote or goes beyond a limit: after
 * a broken quote nobody can tell any more where a record ends.
 */
export async function* readCsv(path: string, limits: CsvLimits): AsyncGenerator<CsvRecord> {
  // CRLF is already LF here: csv-parse would count a CRLF inside quotes as two lines.
  const parser = parse({
    info: true,
    record_delimiter: '\n',
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: mostRecordBytes,
  })
  // A failure of the source destroys the parser with it, and is thrown where the parser is read.
  pipeline(Readable.from(textOf(path, limits)), parser, () => {})
  try {
    for await (const parsed of parser) {
      const { info, record }: { info: { lines: number }; record: string[] } = parsed
      if (info.lines > limits.most_lines) {
        throw new UnreadableFile(`${path} has more than ${limits.most_lines} lines.`)
      }
      yield { line: info.lines - linesInside(record), fields: record }
    }
  } catch (error) {
    throw translated(path, error)
  }
}

/** The file's text in pieces, with LF at the end of lines. */
async function* textOf(path: string, limits: CsvLimits): AsyncGenerator<string> {
  const file = createReadStream(path)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let bytes = 0
  let heldBack = ''
  for await (const chunk of unpacked(path, file)) {
    const piece: Buffer = chunk
    bytes += piece.length
    if (bytes > limits.most_bytes) {
      throw new UnreadableFile(`${path} has more than ${limits.most_bytes} bytes of text.`)
    }
    limits.onBytes?.(file.bytesRead)
    const text = heldBack + decoder.decode(piece, { stream: true })
    heldBack = text.endsWith('\r') ? '\r' : ''
    yield text.slice(0, text.length - heldBack.length).replaceAll('\r\n', '\n')
  }
  yield heldBack + decoder.decode()
}

function unpacked(path: string, file: ReadStream): Readable {
  if (!path.endsWith('.gz')) return file
  const gunzip = createGunzip()
  pipeline(file, gunzip, () => {})
  return gunzip
}

function linesInside(record: readonly string[]): number {
  let lines = 0
  for (const field of record) {
    if (field.includes('\n')) lines += field.split('\n').length - 1
  }
  return lines
}

/** What Node and csv-parse say of a file, by the beginning of their error code. */
const sentences: readonly (readonly [code: string, sentence: (path: string, message: string) => string])[] = [
  ['ENOENT', (path) => `There is no file ${path}.`],
  ['EISDIR', (path) => `${path} is a directory, not a file.`],
  ['ERR_ENCODING_INVALID', (path) => `${path} is not UTF-8 text: save it as "CSV UTF-8".`],
  ['Z_', (path, message) => `${path} cannot be unpacked: ${message}.`],
  ['CSV_', (path, message) => `${path} is not well-formed CSV. ${message}.`],
  ['INVALID_OPENING_QUOTE', (path, message) => `${path} is not well-formed CSV. ${message}.`],
  ['E', (path, message) => `${path} cannot be read: ${message}.`],
]

/** An error about the file as an UnreadableFile; any other is a fault of ours and stays as it is. */
function translated(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error
  const code = String(error.code)
  const known = sentences.find(([start]) => code.startsWith(start))
  if (known === undefined || (code.startsWith('ERR_') && known[0] === 'E')) return error
  return new UnreadableFile(known[1](path, error.message), { cause: error })
}

/** A column's name for comparison: without case, spaces and dashes as underscores. */
export function columnName(header: string): string {
  return header
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')
}

/** A field of CSV, quoted where it must be (RFC 4180). */
export function csvField(value: string): string {
  return /[",\r\n]|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
}
