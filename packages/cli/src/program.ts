import { writeSync } from 'node:fs'
import { parseCommandLine } from './command-line.ts'
import { commands } from './commands.ts'
import { isTokenOfEnvironment, openClient } from './connect.ts'
import type { Context } from './context.ts'
import { ClosedPipe, exitCodes, Interrupted, toSignalExitCode } from './failures.ts'
import { formatCommandHelp, formatGroupHelp, formatProgramHelp } from './help.ts'
import { createInput } from './input.ts'
import { Output } from './output/output.ts'
import { createPaint } from './output/text.ts'
import { findPaths } from './profiles/paths.ts'
import { formatInterruption, reportFailure } from './report.ts'

/** What the program needs of its process. */
export interface ProgramSetting {
  readonly process: NodeJS.Process
  readonly version: string
}

type Parsed = ReturnType<typeof parseCommandLine>

const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** How long after a signal another one is the same wish: npm passes Ctrl-C on, so one press can be two signals. */
const sameWishMs = 500

/** Runs a command line to its end. Returns the exit code; it never throws because of the user or the gateway. */
export async function runProgram(
  argv: readonly string[],
  { process, version }: ProgramSetting,
): Promise<number> {
  const { env } = process
  const ending = watchSignals(process, (interruption) => {
    if (!context?.pending.write) return
    const { pending, paint } = context
    const text = formatInterruption(interruption, { isJson, paint: paint.talk, pending })
    try {
      writeSync(process.stderr.fd, `${text}\n`)
    } catch {
      // Nobody reads it.
    }
  })
  const out = new Output(process.stdout, ending.signal)
  const talk = new Output(process.stderr, ending.signal)
  const paintFor = ({ isTerminal }: Output, isRefused: boolean) =>
    createPaint(!isRefused && isTerminal && !env.NO_COLOR && env.TERM !== 'dumb')
  let context: Context | undefined
  let isJson = argv.includes('--json')
  let isReading = true
  try {
    const parsed = parseCommandLine(argv, env, commands)
    isJson = parsed.globals.json
    if (await answerWithoutCommand(parsed, out, version)) return exitCodes.ok
    const made: Context = {
      globals: parsed.globals,
      env,
      paths: findPaths(env),
      out,
      talk,
      input: createInput({
        stdin: process.stdin,
        stderr: process.stderr,
        isInputAllowed: !parsed.globals['no-input'],
        signal: ending.signal,
        interrupt: () => ending.end('SIGINT'),
      }),
      paint: {
        out: paintFor(out, parsed.globals['no-color']),
        talk: paintFor(talk, parsed.globals['no-color']),
      },
      signal: ending.signal,
      commands,
      words: parsed.words,
      pending: {},
      connect: (options) => openClient(made, version, options),
    }
    context = made
    isReading = isOnlyReading(parsed)
    await parsed.command?.run(made, parsed.given)
    return ending.signal.aborted ? exitOf(ending.signal.reason) : exitCodes.ok
  } catch (error) {
    const failure = ending.signal.aborted ? ending.signal.reason : error
    if (failure instanceof ClosedPipe && isReading) return exitCodes.ok
    const paint = context?.paint.talk ?? paintFor(talk, argv.includes('--no-color'))
    return await reportFailure(failure, {
      talk,
      isJson,
      paint,
      pending: context?.pending ?? {},
      isTokenOfEnvironment: context !== undefined && isTokenOfEnvironment(context),
    })
  } finally {
    ending.forget()
  }
}

function isOnlyReading({ command, given }: Parsed): boolean {
  const { isReading = false } = command ?? {}
  return typeof isReading === 'function' ? isReading(given.args) : isReading
}

function exitOf(reason: unknown): number {
  return reason instanceof Interrupted ? toSignalExitCode(reason.signalName) : exitCodes.failed
}

/** Prints help or the version, if that is what was asked for. */
async function answerWithoutCommand(parsed: Parsed, out: Output, version: string): Promise<boolean> {
  if (parsed.isVersionAsked) await out.line(version)
  else if (parsed.command && parsed.isHelpAsked) await out.write(formatCommandHelp(parsed.command))
  else if (parsed.group !== undefined && !parsed.command)
    await out.write(formatGroupHelp(parsed.group, commands))
  else if (!parsed.command) await out.write(formatProgramHelp(commands))
  else return false
  return true
}

/** The first signal ends the command in order. The second one ends the process at once, after a synchronous report. */
function watchSignals(process: NodeJS.Process, report: (interruption: Interrupted) => void) {
  const controller = new AbortController()
  let endedAt = 0
  const end = (signalName: NodeJS.Signals) => {
    if (controller.signal.aborted) {
      if (performance.now() - endedAt < sameWishMs) return
      report(new Interrupted(signalName))
      process.exit(toSignalExitCode(signalName))
    }
    endedAt = performance.now()
    controller.abort(new Interrupted(signalName))
  }
  for (const name of endingSignals) process.on(name, end)
  return {
    signal: controller.signal,
    end,
    forget() {
      for (const name of endingSignals) process.off(name, end)
    },
  }
}
