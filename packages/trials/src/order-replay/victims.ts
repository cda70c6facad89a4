/** What the faults of a replay hit, and how. */
import { setTimeout as wait } from 'node:timers/promises'
import { ProcessFailed } from '../child-process.ts'
import { freezeTree, killTree, thawTree } from '../process-tree.ts'
import type { SupervisedProcess } from '../supervised-process.ts'
import type { Blow, Victim } from './replay-erp.ts'

/** Longer than a connector waits for one call, so that the other side gives up while the process is stopped. */
const stoppedMs = 20_000

export function toVictim(name: string, process: SupervisedProcess): Victim {
  return {
    name,
    kill: () => process.kill(),
    start: () => process.start(),
    freeze: () => process.freeze(),
    thaw: () => process.thaw(),
  }
}

/** Stops a process with SIGSTOP instead of killing it, and lets it continue. */
export function toStop({ name, freeze, thaw }: Victim): Blow {
  return {
    name: `${name} stopped`,
    kill: async () => freeze(),
    start: async () => {
      await wait(stoppedMs)
      thaw()
    },
  }
}

/** A PostgreSQL server with the processes of its connections. */
interface Database {
  /** The id of its first process. */
  readonly pid: number
  restart(): Promise<void>
}

/** The database of an ERP. What was committed outlives it. */
export class DatabaseVictim implements Victim {
  readonly name = 'PostgreSQL'
  readonly #database: Database
  #isReleased = false

  constructor(database: Database) {
    this.#database = database
  }

  kill = async (): Promise<void> => killTree(this.#database.pid)

  start = async (): Promise<void> => {
    // A restart must not outlive the end of the replay.
    if (this.#isReleased) throw new ProcessFailed('PostgreSQL was stopped permanently.')
    await this.#database.restart()
  }

  freeze = (): void => void freezeTree(this.#database.pid)

  thaw = (): void => thawTree(this.#database.pid)

  /** Lets it continue for the end of the replay, which stops it. */
  release(): void {
    this.#isReleased = true
    this.thaw()
  }
}
