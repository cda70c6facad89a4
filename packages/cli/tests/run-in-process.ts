import { EventEmitter } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { runProgram } from '../src/program.ts'

interface Launch {
  readonly env: Readonly<Record<string, string>>
  readonly input?: string
  /** Whether standard error is a terminal. Standard output never is one. */
  readonly isTalkTerminal?: boolean
}

/** Runs a command line in this process, which takes milliseconds instead of a second. No command can be asked anything. */
export async function runInProcess(
  argv: readonly string[],
  { env, input = '', isTalkTerminal = false }: Launch,
) {
  const text = { out: '', err: '' }
  const collect = (name: keyof typeof text) =>
    new Writable({
      write(chunk, _encoding, done) {
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
  const code = await runProgram(argv, { process: asProcess(process), version: '0.0.0' })
  return { code, ...text }
}

/** The program uses these members of a process only. */
function asProcess(process: object): NodeJS.Process {
  return process as NodeJS.Process
}
