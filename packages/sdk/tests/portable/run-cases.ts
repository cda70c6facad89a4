import { cases } from './cases.ts'
import type { Target } from './target.ts'

/** What a runtime found out. */
export interface Findings {
  readonly passed: number
  /** The failed cases, each with its reason. */
  readonly failures: readonly string[]
}

/** Runs the suite, one case after the other. `isPublicOnly` leaves out the cases that use credentials. */
export async function runCases(target: Target, isPublicOnly = false): Promise<Findings> {
  const chosen = cases.filter(({ isPublic }) => isPublic || !isPublicOnly)
  const failures: string[] = []
  for (const { name, run } of chosen) {
    try {
      await run(target)
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return { passed: chosen.length - failures.length, failures }
}
