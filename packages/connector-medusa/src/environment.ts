/** The clock and the chance of a process. Tests replace them. */
export interface Environment {
  /** Milliseconds since 1970. */
  now(): number
  /** Milliseconds from any fixed start, which never go back. */
  elapsed(): number
  /** A random id. */
  createId(): string
  /** Writes one line for the operator. */
  log(line: string): void
}

export const systemEnvironment: Environment = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  createId: () => crypto.randomUUID(),
  log: (line) => void process.stderr.write(`${line}\n`),
}
