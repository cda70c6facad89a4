import { type DestinationStream, pino } from 'pino'

const textFields = [
  'request_id',
  'trace_id',
  'channel_code',
  'method',
  'route',
  'code',
  'warehouse_code',
  'worker',
  'operation',
  'subject',
  'action',
] as const
const numberFields = ['status', 'ms', 'points', 'rows', 'process'] as const

/** The fields that a log line may have besides `level`, `time` and `msg`. The page `operate` explains each of them. */
export const logFieldNames: readonly string[] = [...textFields, ...numberFields, 'error']

/**
 * Fields of a structured log line. No other fields are logged, so that the log never contains tokens, secrets, bodies
 * or personal addresses.
 */
export type LogFields = { readonly [Name in (typeof textFields)[number]]?: string } & {
  readonly [Name in (typeof numberFields)[number]]?: number
} & { readonly error?: unknown }

export interface Log {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

const maxErrorCharacters = 2_000
const standardOutput = 1
/** The most bytes of lines that could not be written yet. */
const maxWaitingBytes = 1024 * 1024

/**
 * Creates a log that writes JSON lines to standard output or to `destination`. `process` is the number of this process
 * among those of one supervisor, and each line has it.
 */
export function jsonLog(level: LogLevel, destination?: DestinationStream, process?: number): Log {
  const options = {
    level,
    base: process === undefined ? null : { process },
    formatters: { level: (label: string) => ({ level: label }), log: pickLogFields },
    serializers: { error: describeError },
  }
  if (destination) return pino(options, destination)
  opened ??= openStandardOutput()
  return pino(options, opened)
}

/** Standard output, which all logs of a process share. */
let opened: DestinationStream | undefined

/**
 * Opens standard output. Lines that cannot be written, such as those to a file on a full disk, are left out: they must
 * neither end the process nor keep it from ending.
 */
function openStandardOutput(): DestinationStream {
  const output = pino.destination({ fd: standardOutput, sync: true, maxLength: maxWaitingBytes })
  let isFailing = false
  output.on('error', () => {
    isFailing = true
  })
  output.on('write', () => {
    isFailing = false
  })
  // Before the listener of pino, which tries to write the rest until it succeeds.
  process.prependListener('exit', () => {
    if (isFailing) output.destroy()
  })
  return output
}

/** Drops every other field. The compiler finds such a field only in an object that is written in the call. */
function pickLogFields(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => logFieldNames.includes(name)))
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error).slice(0, maxErrorCharacters)
  const cause = error.cause instanceof Error ? ` (cause: ${error.cause.message})` : ''
  return `${error.stack ?? error.message}${cause}`.slice(0, maxErrorCharacters)
}
