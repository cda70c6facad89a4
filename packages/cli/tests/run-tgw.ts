import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compiledCode } from '../../trials/src/compiled-code.ts'

const program = fileURLToPath(new URL('../src/main.ts', import.meta.url))

export interface Result {
  /** The exit code; 128 and the number of the signal that ended the process otherwise. */
  readonly code: number
  readonly out: string
  readonly err: string
}

export interface Launch {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  readonly cwd?: string
  /** The size that no file may exceed, in the blocks of the shell’s `ulimit`. */
  readonly maxFileBlocks?: number
}

/** A home folder of its own, in which `tgw` runs as a process. */
export class Home {
  readonly folder = mkdtempSync(join(tmpdir(), 'tgw-home-'))
  readonly #env: Readonly<Record<string, string>>

  constructor(env: Readonly<Record<string, string>> = {}) {
    this.#env = env
  }

  /** Starts the command. The process inherits no setting of this machine. */
  start(args: readonly string[], { env, cwd, maxFileBlocks }: Launch = {}): ChildProcess {
    const command = [process.execPath, program, ...args]
    const limited = ['/bin/sh', '-c', `ulimit -f ${maxFileBlocks} && exec "$@"`, 'sh', ...command]
    const [file = '', ...rest] = maxFileBlocks === undefined ? command : limited
    return spawn(file, rest, {
      cwd: cwd ?? this.folder,
      env: {
        HOME: this.folder,
        PATH: dirname(process.execPath),
        TGW_KEYCHAIN: 'off',
        NODE_NO_WARNINGS: '1',
        ...compiledCode,
        ...this.#env,
        ...env,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
  }

  /** Runs the command to its end. */
  async run(args: readonly string[], launch: Launch = {}): Promise<Result> {
    const child = this.start(args, launch)
    child.stdin?.on('error', () => {})
    child.stdin?.end(launch.input ?? '')
    return waitForEnd(child)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Reads both streams until the process has ended. */
export async function waitForEnd(child: ChildProcess): Promise<Result> {
  const text = { out: '', err: '' }
  child.stdout?.setEncoding('utf8').on('data', (more: string) => {
    text.out += more
  })
  child.stderr?.setEncoding('utf8').on('data', (more: string) => {
    text.err += more
  })
  const code = await new Promise<number>((resolve) =>
    child.once('close', (own, signal) => resolve(own ?? 128 + (signal ? constants.signals[signal] : 0))),
  )
  return { code, ...text }
}
