import { EventEmitter } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { runProgram } from '../src/program.ts'

interface Launch {
  readonly env: Readonly<Record<string, string>>
  readonly input?: string
  /** Whether standard error is a terminal. Standard output never is one. */
  readonly isTalkTerminal?: boolean
  /** Why standard output takes nothing: nobody reads it any more, or its disk is full. */
  readonly outputFailure?: 'EPIPE' | 'ENOSPC'
  /** Interrupts the command as Ctrl-C does when it resolves. */
  readonly interruption?: Promise<unknown>
  /** How many signals that is. Under npm, one press is two. */
  readonly signals?: number
}

/** Runs a command line in this process, which takes milliseconds instead of a second. No command can be asked anything. */
export async function runInProcess(
  argv: readonly string[],
  { env, input = '', isTalkTerminal = false, outputFailure, interruption, signals = 1 }: Launch,
) {
  const text = { out: '', err: '' }
  const collect = (name: keyof typeof text) =>
    new Writable({
      write(chunk, _encoding, done) {
        if (name === 'out' && outputFailure)
          return done(
            Object.assign(new Error(`write ${outputFailure}`), { code: outputFailure, syscall: 'write' }),
          )
        text[name] += String(chunk)
        done()
      },
    })
  const process = Object.assign(new EventEmitter(), {
    env,
    stdin: Readable.from([input]),
    stdout: collect('out'),
    stderr: Object.assign(collect('err'), { isTTY: isTalkTerminal, columns: 80 }),
    exit: (code: number) => {
      throw new Error(`The command ended the process with ${code}.`)
    },
  })
  void interruption?.then(() => {
    for (let each = 0; each < signals; each++) process.emit('SIGINT', 'SIGINT')
  })
  const code = await runProgram(argv, { process: asProcess(process), version: '0.0.0' })
  return { code, ...text }
}

/** The program uses these members of a process only. */
function asProcess(process: object): NodeJS.Process {
  return process as NodeJS.Process
}
