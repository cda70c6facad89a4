import type { GatewayError } from '@trade-gateway/sdk'
import type { Pending, PendingWrite } from './context.ts'
import {
  ClosedPipe,
  CommandError,
  type ExitCode,
  exitCodes,
  Interrupted,
  isSystemError,
  toSignalExitCode,
} from './failures.ts'
import type { Output } from './output/output.ts'
import { cleanText, type Paint } from './output/text.ts'

interface ReportFormat {
  readonly isJson: boolean
  readonly paint: Paint
  readonly pending: Pending
}

interface Report extends ReportFormat {
  readonly talk: Output
  /** Whether the command sent the token of TGW_TOKEN. */
  readonly isTokenOfEnvironment: boolean
}

/** What is printed of a failure. */
interface Failure {
  readonly code: string
  readonly message: string
  /** Whether a person sees the code before the message. */
  readonly isCodeShown?: boolean
  readonly hints: readonly string[]
  readonly facts: Readonly<Record<string, unknown>>
  readonly exitCode: number
}

/** Prints a failure on standard error: what happened, then what to do. Returns the exit code. */
export async function reportFailure(
  error: unknown,
  { talk, isJson, paint, pending, isTokenOfEnvironment }: Report,
): Promise<number> {
  const failure = await describe(error, isTokenOfEnvironment)
  await talk.line(formatFailure(failure, { isJson, paint, pending })).catch(() => {})
  return failure.exitCode
}

/** Formats what a command prints that a signal ends. Waits for nothing, because a second signal ends the process at once. */
export function formatInterruption(interruption: Interrupted, setting: ReportFormat): string {
  return formatFailure(describeInterruption(interruption), setting)
}

function formatFailure(failure: Failure, { isJson, paint, pending }: ReportFormat): string {
  const told = pending.write ? addWrite(failure, pending.write) : failure
  const { code, message, isCodeShown = false, hints, facts, exitCode } = told
  const links = [
    facts.request_id === undefined ? undefined : `request ${cleanText(facts.request_id)}`,
    facts.doc_url === undefined ? undefined : `docs ${cleanText(facts.doc_url)}`,
  ].filter((each) => each !== undefined)
  return isJson
    ? JSON.stringify({ error: { code, message, ...facts, hints }, exit_code: exitCode })
    : [
        `${paint.red('✗')} ${isCodeShown ? `${code}: ` : ''}${message}`,
        ...hints.map((hint) => `→ ${hint}`),
        ...(links.length > 0 ? [paint.dim(links.join(' · '))] : []),
      ].join('\n')
}

async function describe(error: unknown, isTokenOfEnvironment: boolean): Promise<Failure> {
  const { GatewayError, UsageError } = await import('@trade-gateway/sdk')
  if (error instanceof GatewayError) return describeGatewayFailure(error, isTokenOfEnvironment)
  if (error instanceof UsageError)
    return { code: 'USAGE', message: error.message, hints: [], facts: {}, exitCode: exitCodes.usage }
  if (error instanceof CommandError) {
    const { message, hint, exitCode } = error
    const code = exitCode === exitCodes.usage ? 'USAGE' : 'FAILED'
    return { code, message, hints: hint === undefined ? [] : [hint], facts: {}, exitCode }
  }
  if (error instanceof Interrupted) return describeInterruption(error)
  if (error instanceof ClosedPipe) return describeClosedPipe()
  if (isSystemError(error)) return describeSystemFailure(error)
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return {
    code: 'INTERNAL',
    message,
    hints: ['This is a fault of tgw. Please report it.'],
    facts: {},
    exitCode: 1,
  }
}

/** Adds to a failure what became of the write, and the key: the same command without the key would be a second write. */
function addWrite(failure: Failure, { idempotencyKey: key, isPerformed }: PendingWrite): Failure {
  const hints = isPerformed
    ? [
        'The write was performed, and its response was not printed.',
        `Repeat the same command with --idempotency-key ${key} within 24 hours to print it.`,
      ]
    : [
        'A write was under way, and may have been performed.',
        `Repeat the same command with --idempotency-key ${key}: within 24 hours it is performed at most once.`,
      ]
  return {
    ...failure,
    hints: [...failure.hints, ...hints],
    facts: { ...failure.facts, idempotency_key: key },
  }
}

function describeInterruption({ message, signalName }: Interrupted): Failure {
  return { code: signalName, message, hints: [], facts: {}, exitCode: toSignalExitCode(signalName) }
}

/** The exit code is that of a program that SIGPIPE ends. */
function describeClosedPipe(): Failure {
  return {
    code: 'EPIPE',
    message: 'The reader of standard output has gone, so the command has ended early.',
    hints: ['Write the output to a file, and look at the file.'],
    facts: {},
    exitCode: toSignalExitCode('SIGPIPE'),
  }
}

const systemHints: Readonly<Record<string, string>> = {
  ENOSPC: 'Free some space, or write to another disk.',
  EDQUOT: 'Free some space, or write to another disk.',
  EACCES: 'Check who may write there.',
  ENOENT: 'Create the folder, or check the name of the file.',
  EROFS: 'Name a file on a disk that can be written.',
}

function describeSystemFailure(error: NodeJS.ErrnoException): Failure {
  const hint = systemHints[error.code ?? '']
  const message =
    error.code === 'ENOSPC' ? `No space is left on the device: ${error.message}.` : `${error.message}.`
  const hints = hint === undefined ? [] : [hint]
  return { code: error.code ?? 'FAILED', message, hints, facts: {}, exitCode: exitCodes.failed }
}

/** The exit codes of the classes of failures. The classes are the SDK’s, by the names that they have there. */
const codesByClass: Readonly<Record<string, ExitCode>> = {
  AuthError: exitCodes.auth,
  PermissionError: exitCodes.denied,
  NotFoundError: exitCodes.denied,
  GoneError: exitCodes.denied,
  ValidationError: exitCodes.rejected,
  RejectedError: exitCodes.rejected,
  DuplicateError: exitCodes.rejected,
  IdempotencyError: exitCodes.rejected,
  ReadOnlyError: exitCodes.rejected,
  FullSyncRequiredError: exitCodes.rejected,
  RateLimitError: exitCodes.limited,
  ServerError: exitCodes.upstream,
  ConnectionError: exitCodes.upstream,
  UnexpectedResponseError: exitCodes.upstream,
  OutcomeUnknownError: exitCodes.upstream,
}

/** The exit code of a failure whose code this version does not know, such as that of a platform before the gateway. */
function chooseCodeByStatus({ status = 0 }: GatewayError): ExitCode {
  return status >= 500 ? exitCodes.upstream : exitCodes.failed
}

/** What to do about failures that the SDK found itself, for which the gateway sent no hint. */
const ownHints: Readonly<Record<string, string>> = {
  CONNECTION_FAILED: 'Is the gateway running, and is the address right? `tgw doctor` checks it.',
  TIMED_OUT: 'Try again, or allow more time with --timeout SECONDS.',
  UNEXPECTED_RESPONSE: '`tgw doctor` checks the address and what stands in between.',
  AUTH_BAD_CREDENTIALS:
    'Sign in again with `tgw login`, or correct TGW_PASSWORD or TGW_CLIENT_SECRET if it is set.',
  AUTH_INVALID_TOKEN: 'Sign in again with `tgw login`.',
  AUTH_EXPIRED: 'Sign in again with `tgw login`.',
  FULL_SYNC_REQUIRED:
    'Run `tgw stock pull WAREHOUSE`. Its last line names the version from which `tgw stock watch` continues.',
  OMS_LOGIN_REQUIRED: 'Sign in with an OMS account: `tgw login --username NAME`.',
}

const variableHint =
  'The refused token is that of TGW_TOKEN, which comes before the profile. Unset it (`unset TGW_TOKEN`), or set a new one.'

function isTokenRefused(code: string): boolean {
  return code === 'AUTH_INVALID_TOKEN' || code === 'AUTH_EXPIRED'
}

/** Members of the error object that its hint speaks of. */
const shownDetails = ['duplicate_of', 'window_ends_at', 'shortages', 'required_plan', 'replacement']

function pickDetails({ details }: GatewayError): Record<string, unknown> {
  return Object.fromEntries(Object.entries(details).filter(([name]) => shownDetails.includes(name)))
}

function describeDuplicate({ details: { duplicate_of, window_ends_at } }: GatewayError): string[] {
  if (typeof window_ends_at !== 'string') return []
  const { dropship_order_id }: { dropship_order_id?: unknown } = Object(duplicate_of)
  return [
    `It resembles ${String(dropship_order_id ?? 'another order')}; the window ends at ${window_ends_at}.`,
  ]
}

/**
 * The message of the SDK begins with the code and ends with the hint, which both have a place of their own here. That of an
 * unknown outcome ends with what a program does next.
 */
function chooseMessage(error: GatewayError): string {
  const { hint, message, code, cause } = error
  if (code === 'OUTCOME_UNKNOWN' && cause instanceof Error)
    return `It is not known whether this write was performed. ${cause.message}`
  const whole = message.startsWith(`${code}:`) ? message.slice(code.length + 1).trim() : message
  return hint !== undefined && whole.endsWith(hint) ? whole.slice(0, -hint.length).trim() : whole
}

function describeGatewayFailure(error: GatewayError, isTokenOfEnvironment: boolean): Failure {
  const { code, hint, reason, param, requestId, docUrl, idempotencyKey, retryAfterMs, errors } = error
  const hints = [
    hint,
    isTokenOfEnvironment && isTokenRefused(code) ? variableHint : ownHints[code],
    ...errors.slice(0, 10).map((each) => `${each.param}: ${each.message}`),
    param !== undefined && errors.length === 0 ? `The field is ${param}.` : undefined,
    ...describeDuplicate(error),
    retryAfterMs === undefined ? undefined : `Try again in ${Math.ceil(retryAfterMs / 1000)} s.`,
    idempotencyKey !== undefined && error.retryable
      ? `Repeat the same command with --idempotency-key ${idempotencyKey}: within 24 hours it is performed at most once.`
      : undefined,
  ].filter((each) => each !== undefined)
  const message = chooseMessage(error)
  const facts = {
    ...(reason === undefined ? {} : { reason }),
    ...(param === undefined ? {} : { param }),
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...(docUrl === undefined ? {} : { doc_url: docUrl }),
    ...(idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey }),
    ...(error.retryable ? { retryable: true } : {}),
    ...pickDetails(error),
  }
  return {
    code,
    message: cleanText(message),
    isCodeShown: true,
    hints,
    facts,
    exitCode: codesByClass[error.name] ?? chooseCodeByStatus(error),
  }
}
