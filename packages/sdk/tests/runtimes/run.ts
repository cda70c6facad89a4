/**
 * Runs the suite of `tests/portable`, compiled as it is published, on every runtime that is here. The first argument is
 * a folder whose `node_modules` has the other runtimes; `.ci/sdk.sh` installs them there. A runtime that is missing is
 * named in one line, and does not fail the run.
 */

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { compileSources } from '../../../../scripts/pack-package.ts'
import { root } from '../../../../scripts/production-packages.ts'
import { openTarget } from '../open-target.ts'
import type { Findings } from '../portable/run-cases.ts'
import type { Target } from '../portable/target.ts'
import { runInChromium } from './chromium.ts'
import { runInWorker } from './worker.ts'

const run = promisify(execFile)
const maxRunMs = 300_000
const minuteMs = 61_000

const bunArch = process.arch === 'arm64' ? 'aarch64' : process.arch

/**
 * A runtime with a command line: its program below the folder of tools, and the arguments before the script. The
 * programs are those of the platform's packages, because no install script runs that would link them.
 */
const programs: readonly (readonly [name: string, program: string, args: readonly string[]])[] = [
  ['Node 20', `node_modules/node-linux-${process.arch}/bin/node`, []],
  [
    'Deno',
    `node_modules/@deno/linux-${process.arch}-glibc/deno`,
    ['run', '--quiet', '--allow-all', '--no-config'],
  ],
  ['Bun', `node_modules/@oven/bun-linux-${bunArch}/bin/bun`, ['run']],
]

async function runProgram(program: string, args: readonly string[]): Promise<Findings> {
  const { stdout } = await run(program, [...args], { timeout: maxRunMs, cwd: tmpdir() })
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
}

/** The runtimes in their order, each with the reason why it cannot run here, or with a way to run it. */
function listRuntimes(tools: string, built: string, target: Target) {
  const main = join(built, 'tests/portable/main.js')
  const json = JSON.stringify(target)
  const fromTools = programs.map(([name, path, args]) => {
    const program = join(tools, path)
    const work = () => runProgram(program, [...args, main, json])
    return { name, missing: existsSync(program) ? undefined : `${program} does not exist`, work }
  })
  const miniflare = join(tools, 'node_modules/miniflare')
  const chromium = process.env.CHROMIUM
  return [
    {
      name: `Node ${process.versions.node}`,
      missing: undefined,
      work: () => runProgram(process.execPath, [main, json]),
    },
    ...fromTools,
    {
      name: 'workerd by miniflare',
      missing: existsSync(miniflare) ? undefined : `${miniflare} does not exist`,
      work: () => runInWorker(miniflare, built, target),
    },
    {
      name: 'Chromium (public calls)',
      missing: chromium ? undefined : 'CHROMIUM names no browser',
      work: () => runInChromium(chromium ?? '', built, target),
    },
  ]
}

/** A runtime that does not even print its findings. */
function describeCrash(error: unknown): Findings {
  const [first = ''] = String(error instanceof Error ? error.message : error)
    .split('\n')
    .slice(-2)
  return { passed: 0, failures: [`the runtime failed: ${first}`] }
}

async function main(tools: string): Promise<number> {
  const built = await mkdtemp(join(tmpdir(), 'trade-gateway-sdk-'))
  const opened = await openTarget()
  let failed = 0
  try {
    const sdk = join(root, 'packages/sdk')
    await compileSources({
      folders: [join(sdk, 'src'), join(sdk, 'tests/portable')],
      rootDir: sdk,
      outDir: built,
      options: {},
    })
    await writeFile(join(built, 'package.json'), '{"type":"module"}')
    for (const { name, missing, work } of listRuntimes(tools, built, opened.target)) {
      if (missing !== undefined) {
        process.stdout.write(`missing  ${name}: ${missing}\n`)
        continue
      }
      // The quota of tokens counts the last minute.
      opened.house.clock.advance(minuteMs)
      const { passed, failures } = await work().catch(describeCrash)
      process.stdout.write(
        `${failures.length === 0 ? 'ok      ' : 'FAILED  '} ${name}: ${passed} passed, ${failures.length} failed\n`,
      )
      for (const failure of failures) process.stdout.write(`  ${failure}\n`)
      failed += failures.length
    }
  } finally {
    await opened.close()
    await rm(built, { recursive: true })
  }
  return failed === 0 ? 0 : 1
}

main(process.argv[2] ?? root).then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
    process.exit(1)
  },
)
