import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { packPackage } from '../../scripts/pack-package.ts'
import { type Subject, withGateway } from '../bench.ts'
import type { RunningGateway } from '../gateway.ts'
import { warehouse } from '../goods.ts'
import { loadCore, readRss, startPinned } from '../processes.ts'
import { requireProgram } from '../tools.ts'

/** The page size with which `tgw stock pull` reads. */
const pageSize = 1_000
const memoryEveryMs = 5
/** What the command promises for 100,000 rows, on any machine. The targets of the report are closer. */
const promised = { rows: 100_000, ms: 20_000, rssBytes: 200e6 } as const

interface Run {
  readonly ms: number
  readonly rss: number
}

/**
 * Measures `tgw stock pull`, packed as it is published, against curl, which reads the same compressed pages over one connection, and
 * `tgw --version`, which is the start of Node and little else. Throws if a pull takes longer or uses more memory than promised.
 */
export const measureCli: Subject = async ({ provideStock, folder, report, options }) => {
  const tgw = await unpackCli(folder)
  const stock = await provideStock('middle')
  await withGateway(stock, async (gateway) => {
    const token = await gateway.requestToken(stock.channels.rich)
    const out = join(folder, 'stock.ndjson')
    const pull = ['stock', 'pull', warehouse.warehouse_code, '--out', out, '--quiet']
    const env = { HOME: folder, TGW_KEYCHAIN: 'off', TGW_BASE_URL: gateway.url, TGW_TOKEN: token }
    const pages = writePages(gateway, folder, stock.rows)
    const added: number[] = []
    const memory: number[] = []
    const shown: string[] = []
    // The first round fills the caches of files and pages.
    for (let round = -1; round < options.rounds; round++) {
      const pulled = await measureRun('tgw stock pull', [...tgw, ...pull], folder, env)
      requireRows(out, stock.rows)
      requirePromised(pulled)
      rmSync(out)
      const read = await measureRun('curl', [requireProgram('curl'), '--config', pages], folder)
      const version = await measureRun('tgw --version', [...tgw, '--version'], folder, env)
      if (round < 0) continue
      added.push(pulled.ms - read.ms - version.ms)
      memory.push(pulled.rss / 1e6)
      shown.push(`${Math.round(pulled.ms)}−${Math.round(read.ms)}−${Math.round(version.ms)}`)
    }
    const rows = stock.rows.toLocaleString('en')
    report.judge({
      subject: 'cli',
      target: `tgw stock pull of ${rows} rows − curl − tgw --version`,
      unit: 'ms',
      values: added,
      bound: { is: 'at most', must: 150 },
      detail: shown.slice(0, 3).join(' '),
    })
    report.judge({
      subject: 'cli',
      target: 'the same pull, highest resident memory',
      unit: 'MB',
      values: memory,
      bound: { is: 'at most', must: 200 },
    })
  })
}

/** Returns the command that starts the packed `tgw`. */
async function unpackCli(folder: string): Promise<[string, string]> {
  const tarball = await packPackage('cli', folder)
  execFileSync('tar', ['-xzf', tarball, '-C', folder])
  const manifest: { bin: { tgw: string } } = JSON.parse(
    readFileSync(join(folder, 'package/package.json'), 'utf8'),
  )
  return [process.execPath, join(folder, 'package', manifest.bin.tgw)]
}

/** Writes a configuration of curl that reads every page of a warehouse's stock. */
function writePages({ stockUrl, headers }: RunningGateway, folder: string, rows: number): string {
  const path = join(folder, 'pages.curl')
  const common = Object.entries(headers).map(([name, value]) => `header = "${name}: ${value}"`)
  const urls = Array.from({ length: Math.ceil(rows / pageSize) }, (_, at) => [
    `url = "${stockUrl}?page=${at + 1}&page_size=${pageSize}"`,
    `output = "${join(folder, 'page.json')}"`,
  ])
  writeFileSync(path, [...common, 'compressed', 'silent', 'fail', ...urls.flat()].join('\n'), { mode: 0o600 })
  return path
}

async function measureRun(
  name: string,
  command: readonly [string, ...string[]],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Run> {
  const began = performance.now()
  const log = join(cwd, 'run.log')
  const running = startPinned({ name, core: loadCore, command, cwd, env, log })
  let [ms, rss] = [0, 0]
  const ended = once(running.child, 'exit').then(() => {
    ms = performance.now() - began
  })
  while (ms === 0) {
    await Promise.race([ended, pause(memoryEveryMs)])
    if (running.child.exitCode === null) rss = Math.max(rss, readHighest(running))
  }
  if (running.child.exitCode !== 0) throw new Error(`${name} failed: ${running.readLogTail()}`)
  await running.end()
  return { ms, rss }
}

/** A process that has just ended has no memory any more. */
function readHighest(running: Parameters<typeof readRss>[0]): number {
  try {
    return readRss(running, 'VmHWM') || 0
  } catch {
    return 0
  }
}

function requireRows(path: string, rows: number): void {
  const lines = readFileSync(path, 'utf8').split('\n').length - 1
  if (lines !== rows) throw new Error(`tgw wrote ${lines} rows of ${rows}.`)
}

/** A report's verdict needs a quiet machine. This does not, so it holds for every run, also a short one. */
function requirePromised({ ms, rss }: Run): void {
  const rows = promised.rows.toLocaleString('en')
  if (ms > promised.ms)
    throw new Error(`tgw stock pull took ${Math.round(ms)} ms for ${rows} rows, of at most ${promised.ms}.`)
  if (rss > promised.rssBytes)
    throw new Error(
      `tgw stock pull used ${rss / 1e6} MB for ${rows} rows, of at most ${promised.rssBytes / 1e6}.`,
    )
}
