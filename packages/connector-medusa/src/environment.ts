import { type Clock, systemClock } from '@trade-gateway/connector-kit/clock'

/** The clock, the chance and the log of a process. Tests replace them. */
export interface Environment extends Clock {
  /** A random id. */
  createId(): string
  /** Writes one line for the operator. */
  log(line: string): void
}

export const systemEnvironment: Environment = {
  ...systemClock,
  createId: () => crypto.randomUUID(),
  log: (line) => void process.stderr.write(`${line}\n`),
}
