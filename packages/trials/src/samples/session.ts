import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StartedProcess } from '../child-process.ts'

const blockTimeoutMs = 60_000
/**
 * Matches the first line of a program that specifies a file name, under which later blocks can run the program again.
 */
const namedFile = /^\/\/ ([\w-]+\.ts)\b/
const maxPrintedCharacters = 256 * 1024

/** Returns the name of the file as which a program is saved; undefined if the program does not name one. */
export function findFileName(text: string): string | undefined {
  return namedFile.exec(text)?.[1]
}

/** The output of a block, both streams in order, and the status of its last command. */
export interface Run {
  readonly printed: string
  readonly status: number
}

/**
 * A shell that runs the blocks of one page in order, so that variables persist between blocks. TypeScript runs in a
 * separate process with the exported variables of the shell.
 */
export class Session {
  readonly #shell: StartedProcess
  readonly #directory: string
  readonly #mark = `end-of-block-${randomUUID()}`
  #printed = ''
  #blocks = 0
  #changed: () => void = () => {}

  constructor(directory: string, variables: Readonly<Record<string, string>>) {
    this.#directory = directory
    this.#shell = new StartedProcess({
      name: 'The shell',
      command: 'bash',
      args: ['--noprofile', '--norc', '-c', 'exec 2>&1; exec bash --noprofile --norc'],
      cwd: directory,
      env: {
        ...variables,
        HOME: directory,
        LANG: 'C.UTF-8',
        PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      },
      isShell: true,
    })
    this.#shell.onOutput((text) => {
      this.#printed = (this.#printed + text).slice(0, maxPrintedCharacters)
      this.#changed()
    })
    this.#shell.ended.addEventListener('abort', () => this.#changed(), { once: true })
  }

  /** Runs a block. Rejects if it takes too long or exits the shell. */
  async run(language: string, text: string): Promise<Run> {
    this.#blocks += 1
    const file = findFileName(text) ?? `block-${this.#blocks}.${language}`
    await writeFile(join(this.#directory, file), `${text}\n`)
    this.#printed = ''
    const command = language === 'ts' ? `node ./${file}` : `. ./${file}`
    this.#shell.write(`${command} </dev/null; printf '\\n%s %s\\n' ${this.#mark} $?\n`)
    return this.#waitForEnd()
  }

  #waitForEnd(): Promise<Run> {
    const end = new RegExp(`\\n${this.#mark} (\\d+)\\n`)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`it did not end within ${blockTimeoutMs / 1000} seconds`)),
        blockTimeoutMs,
      )
      this.#changed = () => {
        const found = end.exec(this.#printed)
        if (!found && !this.#shell.ended.aborted) return
        clearTimeout(timer)
        if (found) resolve({ printed: this.#printed.slice(0, found.index), status: Number(found[1]) })
        else reject(new Error('it ended the shell'))
      }
      this.#changed()
    })
  }

  /** Ends the shell and all processes that the page left running. */
  async close(): Promise<void> {
    await this.#shell.stop()
  }
}
