import { defineConfig } from 'vitest/config'

/**
 * The tests of `npm run mutants`, which names them in `MUTANTS_SUITE`. With Stryker's own option `testFiles`, a mutant of
 * what a module does while it is loaded would become active only after that, and never take effect. Unlike in
 * `npm test`, each run loads the modules anew, for the same reason.
 */
export default defineConfig({
  test: {
    include: JSON.parse(process.env.MUTANTS_SUITE ?? '[]'),
    isolate: true,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
