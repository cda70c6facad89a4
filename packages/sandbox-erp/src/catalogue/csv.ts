import { createReadStream, type ReadStream } from 'node:fs'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { parse } from 'csv-parse'
import { escapeControls } from './text.ts'

/** The maximum size of a record in bytes, so that an unclosed quote does not consume the whole file. */
const maxRecordBytes = 64 * 1024

/** A record of a CSV file: its fields, and the line on which it starts, from 1. */
export interface CsvRecord {
  readonly line: number
  readonly fields: readonly string[]
}

export interface CsvLimits {
  /** The maximum size of the text in bytes; for a `.gz` file, after decompression. */
  readonly max_bytes: number
  readonly max_lines: number
  /** Called with the number of bytes of the file that were read so far. */
  readonly onBytes?: (bytes: number) => void
}

/** The error for a file that cannot be read as CSV. Its message is a sentence for the user who specified the file. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile'
}

/**
 * Reads the records of a CSV file (RFC 4180), including the header: UTF-8 with or without byte order mark, with LF or
 * CRLF, decompressed if the path ends in `.gz`. Empty lines are skipped. Throws an UnreadableFile if the file does not
 * exist, is not UTF-8, has a broken quote or exceeds a limit. A broken quote ends reading, because the end of the
 * record is unknown.
 */
export async function* readCsv(path: string, limits: CsvLimits): AsyncGenerator<CsvRecord> {
  // `readText` has converted CRLF to LF, because csv-parse would count a CRLF inside quotes as two lines.
  const parser = parse({
    info: true,
    record_delimiter: '\n',
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: maxRecordBytes,
  })
  // An error of the source destroys the parser too and is thrown by the loop below.
  pipeline(Readable.from(readText(path, limits)), parser, () => {})
  try {
    for await (const parsed of parser) {
      const { info, record }: { info: { lines: number }; record: string[] } = parsed
      if (info.lines > limits.max_lines) {
        throw new UnreadableFile(`${path} has more than ${limits.max_lines} lines.`)
      }
      yield { line: info.lines - countLineBreaks(record), fields: record }
    }
  } catch (error) {
    throw toFileError(path, error)
  }
}

/** Reads the text of the file in chunks, with LF line ends. */
async function* readText(path: string, limits: CsvLimits): AsyncGenerator<string> {
  const file = createReadStream(path)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let bytes = 0
  let heldBack = ''
  for await (const chunk of decompress(path, file)) {
    const piece: Buffer = chunk
    bytes += piece.length
    if (bytes > limits.max_bytes) {
      throw new UnreadableFile(`${path} has more than ${limits.max_bytes} bytes of text.`)
    }
    limits.onBytes?.(file.bytesRead)
    const text = heldBack + decoder.decode(piece, { stream: true })
    heldBack = text.endsWith('\r') ? '\r' : ''
    yield text.slice(0, text.length - heldBack.length).replaceAll('\r\n', '\n')
  }
  yield heldBack + decoder.decode()
}

function decompress(path: string, file: ReadStream): Readable {
  if (!path.endsWith('.gz')) return file
  const gunzip = createGunzip()
  pipeline(file, gunzip, () => {})
  return gunzip
}

function countLineBreaks(record: readonly string[]): number {
  let lines = 0
  for (const field of record) {
    if (field.includes('\n')) lines += field.split('\n').length - 1
  }
  return lines
}

/** The parser's message quotes a whole field, which comes after the number of its line. */
const maxMessageCharacters = 200

/** Sentences for the errors of Node and csv-parse, by the start of their error code. */
const sentences: readonly (readonly [code: string, sentence: (path: string, message: string) => string])[] = [
  ['ENOENT', (path) => `There is no file ${path}.`],
  ['EISDIR', (path) => `${path} is a directory, not a file.`],
  ['ERR_ENCODING_INVALID', (path) => `${path} is not UTF-8 text: save it as "CSV UTF-8".`],
  ['Z_', (path, message) => `${path} cannot be unpacked: ${message}.`],
  ['CSV_', (path, message) => `${path} is not well-formed CSV. ${message}.`],
  ['INVALID_OPENING_QUOTE', (path, message) => `${path} is not well-formed CSV. ${message}.`],
  ['E', (path, message) => `${path} cannot be read: ${message}.`],
]

/** Converts an error about the file to an UnreadableFile. Other errors are bugs and are returned unchanged. */
function toFileError(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error
  const code = String(error.code)
  const known = sentences.find(([start]) => code.startsWith(start))
  if (known === undefined || (code.startsWith('ERR_') && known[0] === 'E')) return error
  const message = escapeControls(error.message.slice(0, maxMessageCharacters))
  return new UnreadableFile(known[1](path, message), { cause: error })
}

/** Normalizes a column name for comparison: lower case, with underscores for spaces and dashes. */
export function normalizeColumnName(header: string): string {
  return header
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')
}

/** Formats a field of CSV, in quotes if necessary (RFC 4180). */
export function toCsvField(value: string): string {
  return /[",\r\n]|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
}
