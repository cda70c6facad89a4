import { type DestinationStream, pino } from 'pino'

/**
 * Fields of a structured log line. No other fields are logged, so that the log never contains tokens, secrets, bodies
 * or personal addresses.
 */
export interface LogFields {
  readonly request_id?: string
  readonly trace_id?: string
  readonly channel_code?: string
  readonly method?: string
  readonly route?: string
  readonly status?: number
  readonly code?: string
  readonly ms?: number
  readonly points?: number
  readonly token?: string
  readonly warehouse_code?: string
  readonly worker?: string
  readonly operation?: string
  readonly rows?: number
  readonly subject?: string
  readonly action?: string
  readonly error?: unknown
}

export interface Log {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

const maxErrorCharacters = 2_000

/** Creates a log that writes JSON lines to standard output or to `destination`. */
export function jsonLog(level: LogLevel, destination?: DestinationStream): Log {
  const options = {
    level,
    base: null,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { error: describeError },
  }
  return destination ? pino(options, destination) : pino(options)
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error).slice(0, maxErrorCharacters)
  const cause = error.cause instanceof Error ? ` (cause: ${error.cause.message})` : ''
  return `${error.stack ?? error.message}${cause}`.slice(0, maxErrorCharacters)
}
