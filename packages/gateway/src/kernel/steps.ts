/**
 * Runs steps one after the other. One that fails keeps no later one from running; the first failure is thrown at the end.
 */
export async function runSteps(steps: Iterable<() => Promise<unknown>>): Promise<void> {
  const failures: unknown[] = []
  for (const step of steps) {
    try {
      await step()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}
