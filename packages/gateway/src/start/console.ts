/**
 * Builds the operators' console if its files have changed since the last build. npm runs no script at installation
 * here, so the first start builds it; a later start only compares a hash. The published package and the image have the
 * build without its source, and nothing is built there.
 */

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import { systemClock } from '../kernel/clock.ts'
import type { Log } from '../kernel/log.ts'

const repository = join(import.meta.dirname, '../../../..')
const consoleFolder = join(repository, 'packages/console')
const hashFile = 'source-hash'
const maxBuildMs = 120_000
const maxErrorCharacters = 2_000

/** Stops a build that still runs. */
export interface ConsoleBuild {
  readonly done: Promise<void>
  stop(): void
}

/**
 * Builds the console in a process of its own if it must be built, beside the rest of the start. A failure is logged,
 * and the gateway starts without a console or with the earlier one.
 */
export function startConsoleBuild(log: Log, folder = consoleFolder): ConsoleBuild {
  const nothing = { done: Promise.resolve(), stop() {} }
  if (!existsSync(join(folder, 'src'))) return nothing
  const dist = join(folder, 'dist')
  const hash = hashSource(folder)
  const vite = findVite(folder)
  if (readBuiltHash(dist) === hash || vite === undefined) return nothing
  process.stderr.write('Building the console at /admin, once for each change of its files…\n')
  const draft = `${dist}.${process.pid}`
  removeOldDrafts(folder)
  const stopping = new AbortController()
  const done = runVite(vite, folder, draft, stopping.signal)
    .then(() => {
      writeFileSync(join(draft, hashFile), hash)
      rmSync(dist, { recursive: true, force: true })
      renameSync(draft, dist)
    })
    .catch((error: unknown) => {
      rmSync(draft, { recursive: true, force: true })
      if (!stopping.signal.aborted) log.error({ error }, 'the console could not be built')
    })
  return { done, stop: () => stopping.abort() }
}

/** Hashes the console's files and the versions of its dependencies. */
export function hashSource(folder: string): string {
  const files = globSync(['src/**/*', '*.{html,json,ts}'], { cwd: folder })
    .map((path) => join(folder, path))
    .filter((path) => /\.\w+$/.test(path) && !path.endsWith('.test.ts'))
  const hash = createHash('sha256')
  for (const path of [...files, join(repository, 'package-lock.json')].sort()) {
    if (existsSync(path)) hash.update(relative(folder, path)).update('\0').update(readFileSync(path))
  }
  return hash.digest('hex')
}

/** Removes what builds left behind whose process was killed. A younger draft may be that of another process. */
function removeOldDrafts(folder: string) {
  for (const name of globSync('dist.*', { cwd: folder })) {
    const path = join(folder, name)
    if (statSync(path).mtimeMs < systemClock.now() - maxBuildMs)
      rmSync(path, { recursive: true, force: true })
  }
}

function readBuiltHash(dist: string): string | undefined {
  const path = join(dist, hashFile)
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

/** Finds Vite; undefined in an installation without development dependencies. */
function findVite(folder: string): string | undefined {
  try {
    return join(createRequire(join(folder, 'package.json')).resolve('vite/package.json'), '../bin/vite.js')
  } catch {
    return undefined
  }
}

/** Runs `vite build` into a folder. Rejects with what Vite printed if it fails. */
async function runVite(vite: string, folder: string, target: string, signal: AbortSignal): Promise<void> {
  const child = spawn(process.execPath, [vite, 'build', '--outDir', target, '--emptyOutDir'], {
    cwd: folder,
    // With another NODE_ENV, such as that of tests, Vite would take React's slow and large variant.
    env: { NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'pipe'],
    signal,
    timeout: maxBuildMs,
  })
  let printed = ''
  child.stderr.on('data', (chunk: Buffer) => {
    printed = `${printed}${chunk}`.slice(-maxErrorCharacters)
  })
  const { promise, resolve, reject } = Promise.withResolvers<number | null>()
  child.once('error', reject).once('close', resolve)
  const code = await promise
  if (code !== 0) throw new Error(`vite build ended with ${code}: ${printed}`)
}
