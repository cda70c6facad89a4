import { defineConfig } from 'vitest/config'

const besideTheirFiles = 'packages/*/src/**/*.test.ts'

/** Tests beside their files that fill a whole ERP, or start processes: seconds each, and not for `npm run verify`. */
const wholeErp = [
  'packages/sandbox-erp/src/*.test.ts',
  'packages/sandbox-erp/src/{faults,ledger,orders}/**/*.test.ts',
]
/** Checks of the files themselves: floors, the generated contract, the guides’ structure. */
const ofFiles = ['packages/gateway/tests/{tidy,guides,only-grows}.test.ts', 'scripts/**/*.test.ts']

/**
 * Tests that start the project’s commands as processes, up to half a minute each, and the connector’s conformance suite
 * on every kind of sandbox ERP: `npm run test:commands`. `npm test` is for every change and must stay below three
 * minutes on two cores, of which a process that loads the project’s sources takes one to three seconds.
 */
const ofCommands = [
  // Each check of the suite against an ERP that breaks it.
  'packages/connector/src/{conformance,conformance-http,conformance-command}.test.ts',
  'packages/sandbox-erp/src/conformance.test.ts',
  'packages/trials/tests/{demo,kills-command,replay,samples,statement}.test.ts',
  'packages/gateway/tests/{audit-command,backup-command,document-commands}.test.ts',
  // They start the program and look at what it prints and how it ends.
  'packages/gateway/tests/{compiled-code,data-dir-lock,early-signals,erp-away,helper-threads,standard-output,start-settings}.test.ts',
  // Each of four values is the one at which a process of its own is killed.
  'packages/gateway/tests/reseal-kills.test.ts',
  // A shell for each of 200 samples, the compiler for those of the SDK, and more of them in this process: a minute and a half.
  'packages/gateway/tests/printed-samples.test.ts',
  'packages/connector-kit/tests/{postgres,programs,with-gateway}.test.ts',
  'packages/contract-checks/tests/*.test.ts',
  'packages/create-connector/tests/create-connector.test.ts',
  'packages/cli/tests/{commands,interrupts,listen}.test.ts',
  'packages/simulator/tests/{check-history-command,simulate}.test.ts',
  'packages/sdk/tests/mirror-kills.test.ts',
]

/**
 * What `TEST_HTTP_ONLY=1` leaves out: the fault tests, which `.ci/faults.sh` runs on the same server, and checks of
 * files, pages, samples and starts of the program, for which the store makes no difference. Vitest's own `--exclude` does
 * nothing where there are projects.
 */
const notOverHttp = [
  ...ofFiles,
  'packages/gateway/tests/{browser,faults}/**',
  'packages/gateway/tests/{compiled-code,data-dir-lock,document-commands,early-signals,erp-away,helper-threads,pages,printed-samples,standard-output,start-settings}.test.ts',
]
const leftOut = ['**/node_modules/**', ...(process.env.TEST_HTTP_ONLY ? notOverHttp : [])]

/** A file for the report that `npm run promises` reads. */
const { TEST_REPORT: report } = process.env

export default defineConfig({
  test: {
    ...(report ? { reporters: ['default', ['json', { outputFile: report }]] } : {}),
    globalSetup: ['./packages/gateway/tests/node-version.ts'],
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // How long a state may take to come about: on a machine that is busy with other work, seconds.
    expect: { poll: { timeout: 15_000 } },
    // Files share the modules of their worker: loading them anew for each file took a quarter of the processor time.
    // A test therefore leaves nothing behind in a module, in `process.env` or in a global.
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [besideTheirFiles, ...ofFiles],
          exclude: [...leftOut, ...wholeErp, ...ofCommands],
        },
      },
      {
        extends: true,
        test: {
          name: 'whole',
          include: [...wholeErp, 'packages/*/tests/**/*.test.ts'],
          exclude: [...leftOut, ...ofFiles, ...ofCommands],
        },
      },
      {
        extends: true,
        test: { name: 'commands', include: ofCommands, exclude: leftOut },
      },
    ],
  },
})
