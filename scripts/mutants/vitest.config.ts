import { defineConfig } from 'vitest/config'

/**
 * The tests of `npm run mutants`. Unlike in `npm test`, each run loads the modules anew: a mutant may change what a
 * module does while it is loaded, and would otherwise never take effect.
 */
export default defineConfig({
  test: {
    include: ['packages/*/{src,tests}/**/*.test.ts'],
    isolate: true,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
