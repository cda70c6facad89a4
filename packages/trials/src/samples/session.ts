import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'

const blockTimeoutMs = 60_000
/** A program that later blocks run again says its file in its first line. */
const namedFile = /^\/\/ ([\w-]+\.ts)\b/
const mostPrintedCharacters = 256 * 1024

/** What a block printed, both streams in order, and the status of its last command. */
export interface Run {
  readonly printed: string
  readonly status: number
}

/**
 * A shell in which the blocks of one page run in order, so that variables live from block to block. TypeScript runs
 * as a program of its own with what the shell has exported.
 */
export class Session {
  readonly #shell: ChildProcessByStdio<Writable, Readable, null>
  readonly #directory: string
  readonly #mark = `end-of-block-${randomUUID()}`
  #printed = ''
  #blocks = 0
  #changed: () => void = () => {}

  constructor(directory: string, variables: Readonly<Record<string, string>>) {
    this.#directory = directory
    this.#shell = spawn('bash', ['--noprofile', '--norc', '-c', 'exec 2>&1; exec bash --noprofile --norc'], {
      cwd: directory,
      env: {
        ...variables,
        HOME: directory,
        LANG: 'C.UTF-8',
        PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
      // A group of its own, so that what a page left running ends with it.
      detached: true,
    })
    this.#shell.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#printed = (this.#printed + text).slice(0, mostPrintedCharacters)
      this.#changed()
    })
    this.#shell.once('close', () => this.#changed())
  }

  /** Runs a block to its end. Rejects when it takes too long or ends the shell. */
  async run(language: string, text: string): Promise<Run> {
    this.#blocks += 1
    const file = namedFile.exec(text)?.[1] ?? `block-${this.#blocks}.${language}`
    await writeFile(join(this.#directory, file), `${text}\n`)
    this.#printed = ''
    const command = language === 'ts' ? `node ./${file}` : `. ./${file}`
    this.#shell.stdin.write(`${command} </dev/null; printf '\\n%s %s\\n' ${this.#mark} $?\n`)
    return this.#finished()
  }

  #finished(): Promise<Run> {
    const end = new RegExp(`\\n${this.#mark} (\\d+)\\n`)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`it did not end within ${blockTimeoutMs / 1000} seconds`)),
        blockTimeoutMs,
      )
      this.#changed = () => {
        const found = end.exec(this.#printed)
        if (!found && this.#shell.exitCode === null) return
        clearTimeout(timer)
        if (found) resolve({ printed: this.#printed.slice(0, found.index), status: Number(found[1]) })
        else reject(new Error('it ended the shell'))
      }
      this.#changed()
    })
  }

  /** Ends the shell and whatever the page left running. */
  async close(): Promise<void> {
    const { pid, exitCode } = this.#shell
    const gone = exitCode === null ? new Promise((resolve) => this.#shell.once('close', resolve)) : undefined
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGTERM')
    } catch (error) {
      // Nothing of the group is left.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
    }
    this.#shell.stdin.destroy()
    await gone
  }
}
