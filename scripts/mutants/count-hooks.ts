/** A setup file of the tests, which corrects Stryker's counts (`hook-coverage.ts`). */

import { afterAll, beforeAll, beforeEach, inject } from 'vitest'
import { attributeHooks, type Counts, type Coverage } from './hook-coverage.ts'

/** What Stryker keeps in a global. */
interface Stryker {
  readonly mutantCoverage?: Coverage
  readonly currentTestId?: string
}

const provided = inject as (name: string) => unknown

// Only in the run without a mutant, in which Stryker counts.
if (provided('mode') === 'dry-run') {
  const find = (): Stryker => Reflect.get(globalThis, String(provided('globalNamespace')))
  const tests: string[] = []
  let loaded: Counts = {}
  beforeAll(() => {
    loaded = { ...find().mutantCoverage?.static }
  })
  beforeEach(() => {
    const { currentTestId } = find()
    if (currentTestId !== undefined) tests.push(currentTestId)
  })
  afterAll(() => {
    const { mutantCoverage } = find()
    if (mutantCoverage) attributeHooks(mutantCoverage, loaded, tests)
  })
}
