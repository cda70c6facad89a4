import { defineConfig } from 'vitest/config'

const suite = process.env.MUTANTS_SUITE

/**
 * The tests of `npm run mutants`, which names those of a subject in `MUTANTS_SUITE`. With Stryker's own option `testFiles`, a mutant of
 * what a module does while it is loaded would become active only after that, and never take effect. Unlike in
 * `npm test`, each run loads the modules anew, for the same reason.
 */
export default defineConfig({
  test: {
    include: suite === undefined ? ['packages/*/{src,tests}/**/*.test.ts'] : JSON.parse(suite),
    isolate: true,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
