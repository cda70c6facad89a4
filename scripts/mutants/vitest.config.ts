import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

const suite = process.env.MUTANTS_SUITE

/**
 * The tests of `npm run mutants`, which names those of a subject in `MUTANTS_SUITE`. With Stryker's own option
 * `testFiles`, a mutant of what a module does while it is loaded would become active only after that, and never take
 * effect. The files of a run share their modules, and each run loads them anew.
 */
export default defineConfig({
  test: {
    include: suite === undefined ? ['packages/*/{src,tests}/**/*.test.ts'] : JSON.parse(suite),
    isolate: false,
    setupFiles: ['count-hooks.ts', 'no-shrinking.ts'].map((file) => join(import.meta.dirname, file)),
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
