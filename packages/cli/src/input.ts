import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { isSystemError, UsageError } from './failures.ts'

/** The largest text that is read from standard input or a file. Bodies of the API have at most 1 MiB. */
const maxInputBytes = 8 * 1024 * 1024

/** What the user types or pipes in. */
export interface Input {
  /** Whether questions can be asked. */
  readonly canAsk: boolean
  ask(question: string): Promise<string>
  /** Asks without showing what is typed. */
  askSecret(question: string): Promise<string>
  /** Reads standard input to its end. */
  readAll(): Promise<string>
}

export interface InputSetting {
  readonly stdin: NodeJS.ReadStream
  readonly stderr: NodeJS.WriteStream
  readonly isInputAllowed: boolean
  readonly signal: AbortSignal
  /** Ctrl-C arrives as a key while a question is asked. */
  readonly interrupt: () => void
}

export function createInput({ stdin, stderr, isInputAllowed, signal, interrupt }: InputSetting): Input {
  async function ask(question: string, isSecret: boolean): Promise<string> {
    const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
    const lines = createInterface({ input: stdin, output: isSecret ? silent : stderr, terminal: true })
    lines.on('SIGINT', interrupt)
    if (isSecret) stderr.write(question)
    try {
      const ended = new Promise<never>((_, reject) => {
        lines.once('close', () => reject(new UsageError('The input ended before the question was answered.')))
      })
      return (await Promise.race([lines.question(isSecret ? '' : question, { signal }), ended])).trim()
    } catch (error) {
      signal.throwIfAborted()
      throw error
    } finally {
      if (isSecret) stderr.write('\n')
      lines.close()
    }
  }
  return {
    canAsk: isInputAllowed && stdin.isTTY === true && stderr.isTTY === true,
    ask: (question) => ask(question, false),
    askSecret: (question) => ask(question, true),
    readAll: () => readAll(stdin, signal),
  }
}

async function readAll(stream: NodeJS.ReadStream, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  // A read that waits for more does not look at the signal by itself.
  const stop = () => void stream.destroy(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk instanceof Uint8Array ? chunk : String(chunk))
    length += bytes.length
    if (length > maxInputBytes) throw new UsageError(`Standard input is larger than ${maxInputBytes} bytes.`)
    chunks.push(bytes)
  }
  signal.removeEventListener('abort', stop)
  signal.throwIfAborted()
  return Buffer.concat(chunks).toString('utf8')
}

/** Reads JSON from a file, or from standard input for `-`. Throws `UsageError` with the place of the mistake. */
export async function readJson(input: Input, file: string): Promise<unknown> {
  const text = file === '-' ? await input.readAll() : await readText(file)
  try {
    return JSON.parse(text)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new UsageError(`${file === '-' ? 'Standard input' : file} is not JSON: ${why}.`)
  }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (isSystemError(error)) throw new UsageError(`${file} cannot be read: ${error.message}.`)
    throw error
  }
}
