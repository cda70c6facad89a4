/** What the commands of a connector have in common: arguments, their errors, and exit codes. */
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { ConfigError } from './settings.ts'

export const exitCodes = { ended: 0, failed: 1, usage: 64, configuration: 78 } as const
const maxPort = 65_535

/** An argument that is not valid. The message says why. */
export class UsageError extends Error {}

/** Parses the arguments of a command without positional ones. Throws `UsageError`. */
export function parseOptions<T extends ParseArgsOptionsConfig>(argv: readonly string[], options: T) {
  try {
    return parseArgs({ args: [...argv], options }).values
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

/** Parses the value of `--flag`. Throws `UsageError`. */
export function parseNumber(
  flag: string,
  text: string,
  { min, max }: { readonly min: number; readonly max: number },
): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  throw new UsageError(`--${flag} must be a whole number from ${min} to ${max}, not "${text}".`)
}

/** Parses the port of `--flag`. 0 takes any free port, if `min` allows it. Throws `UsageError`. */
export function parsePort(flag: string, text: string, min = 1): number {
  return parseNumber(flag, text, { min, max: maxPort })
}

interface Failure {
  readonly code: number
  /** What to print on standard error. */
  readonly text: string
}

/**
 * Describes why a command failed. A message explains a `UsageError`, a `ConfigError` and the `explained` errors
 * completely; any other error is shown with its stack.
 */
export function describeFailure(
  error: unknown,
  usage: string,
  explained: readonly (new (message: string) => Error)[] = [],
): Failure {
  if (error instanceof UsageError) return { code: exitCodes.usage, text: `${error.message}\n\n${usage}` }
  if (error instanceof ConfigError) return { code: exitCodes.configuration, text: `${error.message}\n` }
  const isExplained = explained.some((kind) => error instanceof kind)
  if (error instanceof Error && !isExplained) return { code: exitCodes.failed, text: `${error.stack}\n` }
  return { code: exitCodes.failed, text: `${error instanceof Error ? error.message : String(error)}\n` }
}

interface Command {
  readonly usage: string
  /** Runs the command to its end. Returns its exit code; undefined is 0, and prints the usage if `--help` is given. */
  readonly run: (argv: readonly string[]) => Promise<number | 'usage'>
  /** Errors whose message explains them completely, with another exit code than 1 if there is one. */
  readonly explained?: readonly (new (
    message: string,
  ) => Error)[]
}

/** Runs a command as this process: prints what it fails with, and sets the exit code. */
export async function runCommand({ usage, run, explained = [] }: Command): Promise<void> {
  try {
    const code = await run(process.argv.slice(2))
    if (code === 'usage') process.stdout.write(usage)
    else process.exitCode = code
  } catch (error) {
    const { code, text } = describeFailure(error, usage, explained)
    process.stderr.write(text)
    process.exitCode = code
  }
}
