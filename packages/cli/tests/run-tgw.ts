import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../src/main.ts', import.meta.url))

export interface Result {
  /** The exit code; 128 and the number of the signal that ended the process otherwise. */
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export interface Launch {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  readonly cwd?: string
}

/** A home folder of its own, in which `tgw` runs as a process. */
export class Home {
  readonly folder = mkdtempSync(join(tmpdir(), 'tgw-home-'))
  readonly #env: Readonly<Record<string, string>>

  constructor(env: Readonly<Record<string, string>> = {}) {
    this.#env = env
  }

  /** Starts the command. The process inherits no setting of this machine. */
  start(args: readonly string[], { env, cwd }: Launch = {}): ChildProcess {
    return spawn(process.execPath, [program, ...args], {
      cwd: cwd ?? this.folder,
      env: {
        HOME: this.folder,
        PATH: dirname(process.execPath),
        TGW_KEYCHAIN: 'off',
        NODE_NO_WARNINGS: '1',
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
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, ...text }
}
