/** What a command can fail with, and the exit codes. They never change, because scripts decide by them. */

export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  auth: 3,
  denied: 4,
  rejected: 5,
  limited: 6,
  upstream: 7,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** What each exit code means, for help texts and the docs. */
export const exitMeanings: readonly (readonly [code: number, meaning: string])[] = [
  [0, 'done; also a command that only reads, if the reader of its output has gone'],
  [1, 'an error of this machine, such as a full disk'],
  [2, 'wrong usage'],
  [3, 'credentials or token refused'],
  [4, 'not found, or not allowed'],
  [5, 'the gateway or the ERP refused the request'],
  [6, 'the points are used up'],
  [7, 'the gateway or the ERP does not respond, or the outcome of a write is not known'],
  [130, 'ended by Ctrl-C; 143 by SIGTERM'],
  [141, 'a command that does something has ended early, because the reader of its output has gone'],
]

/** A failure that the command found itself. Its message says what to do. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError'
  readonly exitCode: ExitCode
  /** The next step, as a sentence or a command. */
  readonly hint: string | undefined

  constructor(message: string, { exitCode = exitCodes.failed, hint, cause }: CommandErrorFacts = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.exitCode = exitCode
    this.hint = hint
  }
}

interface CommandErrorFacts {
  readonly exitCode?: ExitCode
  readonly hint?: string | undefined
  readonly cause?: unknown
}

/** A command line that is not valid. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError'

  constructor(message: string, hint?: string) {
    super(message, { exitCode: exitCodes.usage, hint })
  }
}

/**
 * The reader of standard output has gone, as `head` does. It has what it wanted, so this is no failure of a command that
 * only reads. Another one may have left something undone.
 */
export class ClosedPipe extends Error {
  override readonly name = 'ClosedPipe'
}

/** The user, or the system, ended the command. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
  readonly signalName: NodeJS.Signals

  constructor(signalName: NodeJS.Signals) {
    super(`Ended by ${signalName}.`)
    this.signalName = signalName
  }
}

const signalNumbers: Readonly<Partial<Record<NodeJS.Signals, number>>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGPIPE: 13,
  SIGTERM: 15,
}

/** The exit code of a process that a signal ended, as a shell reports it. */
export function toSignalExitCode(signalName: NodeJS.Signals): number {
  return 128 + (signalNumbers[signalName] ?? 0)
}

/** Whether a failure comes from the system, such as a missing file. */
export function isSystemError(error: unknown, ...codes: readonly string[]): error is NodeJS.ErrnoException {
  return (
    error instanceof Error &&
    'syscall' in error &&
    'code' in error &&
    (codes.length === 0 || codes.includes(String(error.code)))
  )
}
