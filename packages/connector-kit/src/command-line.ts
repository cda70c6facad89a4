/** What the commands of a connector have in common: arguments, their errors, and exit codes. */
import { writeFileSync } from 'node:fs'
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { findObstacle, identifyFile } from './output-file.ts'
import { ConfigError, UnavailableError } from './settings.ts'
import { endWithoutOutput } from './standard-streams.ts'

export const exitCodes = { ended: 0, failed: 1, usage: 64, unavailable: 75, configuration: 78 } as const
const maxPort = 65_535

/** An argument that is not valid. The message says why. */
export class UsageError extends Error {}

/** A file that cannot be written. The message names it. */
export class OutputError extends Error {
  constructor(path: string, cause: unknown) {
    super(`${path} cannot be written: ${cause instanceof Error ? cause.message : cause}.`, { cause })
  }
}

/** Parses the arguments of a command without positional ones. Throws `UsageError`. */
export function parseOptions<T extends ParseArgsOptionsConfig>(argv: readonly string[], options: T) {
  const { values, positionals } = parseArguments(argv, options)
  const [first] = positionals
  if (first === undefined) return values
  throw new UsageError(`This command takes only options, and not "${first}".`)
}

/** Parses the arguments of a command. Throws `UsageError`. */
export function parseArguments<T extends ParseArgsOptionsConfig>(argv: readonly string[], options: T) {
  const { tokens } = parseArgs({
    args: [...argv],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const positionals = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []))
  const args = tokens.flatMap((token) => (token.kind === 'option' ? [toArgument(token, options)] : []))
  return { values: parseArgs({ args, options }).values, positionals }
}

interface GivenOption {
  readonly name: string
  readonly rawName: string
  readonly value: string | undefined
  readonly inlineValue: boolean | undefined
}

/** Returns the option as one argument. Throws `UsageError`: the messages of `parseArgs` are for programmers. */
function toArgument(
  { name, rawName, value, inlineValue }: GivenOption,
  options: ParseArgsOptionsConfig,
): string {
  if (!Object.hasOwn(options, name)) throw new UsageError(`There is no option ${rawName}.`)
  if (options[name]?.type === 'boolean') {
    if (value === undefined) return `--${name}`
    throw new UsageError(`${rawName} takes no value, and not "${value}".`)
  }
  if (value === undefined) throw new UsageError(`${rawName} has no value.`)
  // A negative number is a value. Whoever knows its bounds refuses it.
  if (!inlineValue && /^-\D/.test(value))
    throw new UsageError(`${rawName} has no value, because "${value}" is an option.`)
  return `--${name}=${value}`
}

/** Parses the value of `--flag`. Throws `UsageError`. */
export function parseNumber(
  flag: string,
  text: string,
  { min, max }: { readonly min: number; readonly max: number },
): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  throw new UsageError(`--${flag} must be a whole number from ${min} to ${max}, not "${text}".`)
}

/** Parses the port of `--flag`. 0 takes any free port, if `min` allows it. Throws `UsageError`. */
export function parsePort(flag: string, text: string, min = 1): number {
  return parseNumber(flag, text, { min, max: maxPort })
}

/**
 * Checks that the file of `--flag` can be written, and returns its path; undefined if the flag is not given. Writes
 * nothing, so a command can refuse the path before it starts anything. Throws `UsageError`.
 */
export function parseOutputFile(flag: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  if (text === '') throw new UsageError(`--${flag} must be the name of a file, not "".`)
  const obstacle = findObstacle(text)
  if (obstacle === undefined) return text
  throw new UsageError(`--${flag} cannot write "${text}": ${obstacle}`)
}

type FilesByFlag = Readonly<Record<string, string | null | undefined>>

/** Checks that no two of these flags name the same file. Throws `UsageError`. */
export function requireDifferentFiles(files: FilesByFlag): void {
  const flags = new Map<string, string>()
  for (const [flag, file] of Object.entries(files)) {
    if (!file) continue
    const id = identifyFile(file)
    const other = flags.get(id)
    if (other !== undefined)
      throw new UsageError(`--${other} and --${flag} cannot both write "${file}". Name two files.`)
    flags.set(id, flag)
  }
}

/** Checks that none of these flags names the file that the command reads. Throws `UsageError`. */
export function requireInputKept(input: string, files: FilesByFlag): void {
  for (const [flag, file] of Object.entries(files)) {
    if (file && identifyFile(file) === identifyFile(input))
      throw new UsageError(`--${flag} cannot replace "${file}", which the command reads. Name another file.`)
  }
}

/** Writes a whole file. Throws `OutputError`. */
export function writeOutputFile(path: string, text: string): void {
  try {
    writeFileSync(path, text)
  } catch (cause) {
    throw new OutputError(path, cause)
  }
}

type ErrorClass = abstract new (...args: never[]) => Error

interface Failure {
  readonly code: number
  /** What to print on standard error. */
  readonly text: string
}

/**
 * Describes why a command failed. A message explains a `UsageError`, which `advice` follows, a `ConfigError`, an
 * `UnavailableError`, an `OutputError` and the `explained` errors completely; any other error is shown with its stack.
 */
export function describeFailure(
  error: unknown,
  advice: string,
  explained: readonly ErrorClass[] = [],
): Failure {
  if (error instanceof UsageError) return { code: exitCodes.usage, text: `${error.message}\n\n${advice}` }
  if (error instanceof ConfigError) return { code: exitCodes.configuration, text: `${error.message}\n` }
  if (error instanceof UnavailableError) return { code: exitCodes.unavailable, text: `${error.message}\n` }
  const isExplained = [OutputError, ...explained].some((kind) => error instanceof kind)
  if (error instanceof Error && !isExplained) return { code: exitCodes.failed, text: `${error.stack}\n` }
  return { code: exitCodes.failed, text: `${error instanceof Error ? error.message : String(error)}\n` }
}

interface Command {
  readonly usage: string
  /** What is printed below the sentence about a wrong argument; default: the usage. */
  readonly advice?: string
  /** Runs the command to its end. Returns its exit code; undefined is 0, and prints the usage if `--help` is given. */
  readonly run: (argv: readonly string[]) => Promise<number | 'usage'>
  /** Errors whose message explains them completely, with another exit code than 1 if there is one. */
  readonly explained?: readonly ErrorClass[]
}

/**
 * Runs a command as this process: prints what it fails with, and sets the exit code. If nobody reads what the command
 * prints, it ends.
 */
export async function runCommand({ usage, advice = usage, run, explained = [] }: Command): Promise<void> {
  const isEnding = endWithoutOutput()
  try {
    const code = await run(process.argv.slice(2))
    if (code === 'usage') process.stdout.write(usage)
    else process.exitCode = code
  } catch (error) {
    const { code, text } = describeFailure(error, advice, explained)
    if (!isEnding()) process.stderr.write(text)
    process.exitCode = code
  }
}
