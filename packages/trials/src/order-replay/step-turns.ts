/** Chooses the steps of a write after which a process is killed, so that each process is killed after each step. */

/** A due kill waits for no more steps than this. Some steps are rare. */
const maxWaitedSteps = 60

interface Turns {
  /** The number of kills after each step. */
  readonly kills: Map<string, number>
  waited: number
}

export class StepTurns {
  readonly #seen = new Set<string>()
  readonly #victims = new Map<string, Turns>()

  /** The number of kills of each process after each step. */
  get kills(): Readonly<Record<string, Readonly<Record<string, number>>>> {
    return Object.fromEntries(
      [...this.#victims].map(([name, { kills }]) => [name, Object.fromEntries(kills)]),
    )
  }

  /** Whether a process that is due is killed after this step: if it was killed after no other step less often. */
  take(victim: string, step: string): boolean {
    this.#seen.add(step)
    const turns = this.#victims.get(victim) ?? { kills: new Map(), waited: 0 }
    this.#victims.set(victim, turns)
    const times = turns.kills.get(step) ?? 0
    const least = Math.min(...[...this.#seen].map((name) => turns.kills.get(name) ?? 0))
    if (times > least && turns.waited < maxWaitedSteps) {
      turns.waited += 1
      return false
    }
    turns.kills.set(step, times + 1)
    turns.waited = 0
    return true
  }
}
