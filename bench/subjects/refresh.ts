import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { ask, memberOf } from '../ask.ts'
import { type Bench, type Subject, storeKinds, withGateway } from '../bench.ts'
import { latestOf, nodePath, type RunningGateway } from '../gateway.ts'
import { figureOf, skuOf } from '../goods.ts'
import { numbersIn } from '../load.ts'
import { largeOfTargets } from '../options.ts'
import { BrokenParity } from '../parity.ts'
import { probed } from '../probe.ts'
import { serverCore, startPinned } from '../processes.ts'
import { profiledWhile } from '../profile.ts'
import { median } from '../statistics.ts'
import type { FilledStock } from '../stock.ts'

const changedRows = 10_000
const pollMs = 2
const mostFeedRows = 1_000
const withinMs = 60_000
const partsFile = new URL('../refresh-parts.ts', import.meta.url).pathname

/** From the moment when the ERP tells of changed rows until the feed answers all of them, and what it is made of. */
export const refresh: Subject = async (bench) => {
  for (const kind of storeKinds(bench.options)) {
    const stock = await bench.stock('large', kind)
    const rounds = await withGateway(stock, async (gateway) => {
      const measured: Round[] = []
      const { repeats, profile } = bench.options
      for (let round = 0; round < repeats; round++) measured.push(await refreshed(gateway, round))
      if (profile) {
        await profiledWhile(gateway.process, `a refresh on ${stock.kind}, each changed row`, async () => {
          await refreshed(gateway, repeats)
          return changedRows
        })
      }
      return measured
    })
    judge(bench, stock, rounds, await partsOf(bench, stock))
  }
}

interface Round {
  readonly ms: number
  readonly erpMs: number
  readonly blockedMs: number
}

/** Every hundredth row of a million: no two of them close together, the worst case for blocks of rows. */
function changedSkus(rows: number, round: number): string[] {
  const step = Math.floor(rows / changedRows)
  return Array.from({ length: changedRows }, (_, at) => skuOf.number(at * step + (round % step)))
}

async function refreshed(gateway: RunningGateway, round: number): Promise<Round> {
  const before = await latestOf(gateway)
  await probed(gateway.process, 'watch')
  const telling = gateway.erp.change(changedSkus(gateway.stock.rows, round))
  const late = AbortSignal.timeout(withinMs)
  const began = await Promise.race([telling.told, once(late, 'abort').then(neverAsked)])
  while ((await latestInFeed(gateway, before)) < before + changedRows) {
    if (late.aborted) throw new BrokenParity('The feed never told of the changes.')
    await pause(pollMs)
  }
  const ms = performance.now() - began
  const erpMs = telling.busyMs()
  const blockedMs = numbersIn(await probed(gateway.process, 'tell'))('blockedMs')
  await checkFeed(gateway, before, round, telling.change)
  return { ms, erpMs, blockedMs }
}

function neverAsked(): never {
  throw new BrokenParity('The gateway never asked the ERP for changes.')
}

async function latestInFeed({ stockUrl, headers }: RunningGateway, since: number): Promise<number> {
  const seen = await ask(`${stockUrl}/changes?since=${since}&page_size=1`, { headers })
  return Number(memberOf(seen, 'latest'))
}

/** Each changed SKU once, with the figures that the ERP gave. */
async function checkFeed(
  { stockUrl, headers, stock }: RunningGateway,
  before: number,
  round: number,
  change: number,
) {
  const expected = new Set(changedSkus(stock.rows, round))
  const { quantity_available } = figureOf(skuOf.number(0), change)
  let since = before
  for (let rows = 0; rows < changedRows; rows += mostFeedRows) {
    const seen = await ask(`${stockUrl}/changes?since=${since}`, { headers })
    const page: { version: number; data: { sku: string; quantity_available: number }[] } = JSON.parse(
      seen.body.toString(),
    )
    for (const row of page.data) {
      if (expected.delete(row.sku) && row.quantity_available === quantity_available) continue
      throw new BrokenParity(`The feed told of ${row.sku} in a way that the ERP did not.`)
    }
    since = page.version
  }
  if (expected.size > 0) throw new BrokenParity(`The feed did not tell of ${expected.size} changed rows.`)
}

type Parts = (name: string) => number

/** The two halves by themselves, in a process that holds the same database without HTTP and without an ERP. */
async function partsOf({ options, report }: Bench, stock: FilledStock): Promise<Parts[]> {
  report.progress(`writing and following ${changedRows.toLocaleString('en')} changes on ${stock.kind}`)
  const child = startPinned({
    name: 'the parts of a refresh',
    core: serverCore,
    command: [nodePath(), partsFile, String(stock.rows), String(changedRows), String(options.repeats)],
    cwd: stock.dataDir,
    log: `${stock.dataDir}/parts.log`,
    env: stock.settings,
    talks: true,
  })
  const { promise, resolve, reject } = Promise.withResolvers<Parts[]>()
  const rounds: Parts[] = []
  child.child.on('message', (message) => {
    rounds.push(numbersIn(message))
    if (rounds.length === options.repeats) resolve(rounds)
  })
  child.child.once('exit', () => reject(new Error(`${child.name} ended early:\n${child.tail()}`)))
  try {
    return await promise
  } finally {
    await child.end()
  }
}

function judge({ report, options }: Bench, stock: FilledStock, rounds: readonly Round[], parts: Parts[]) {
  const isOfTarget = options.sizes.large >= largeOfTargets
  const what = `${changedRows.toLocaleString('en')} changed among ${stock.rows.toLocaleString('en')}, ${stock.kind}`
  const add = (target: string, values: number[], must?: number, detail = '') =>
    report.judge({
      subject: 'refresh',
      target: `${what}: ${target}`,
      unit: 'ms',
      values,
      detail,
      ...(isOfTarget && must !== undefined ? { bound: { is: 'at most' as const, must } } : {}),
    })
  const part = (name: string) => parts.map((told) => told(name))
  const erpMs = median(rounds.map((round) => round.erpMs)).toFixed(0)
  add(
    'ERP to feed',
    rounds.map(({ ms }) => ms),
    300,
    `the ERP itself took ${erpMs} ms`,
  )
  add(
    'loop blocked',
    rounds.map(({ blockedMs }) => blockedMs),
    10,
  )
  add(
    'writing alone',
    part('writeMs'),
    undefined,
    `loop blocked ${median(part('writeBlockedMs')).toFixed(0)} ms`,
  )
  add(
    'following alone',
    part('followMs'),
    undefined,
    `loop blocked ${median(part('followBlockedMs')).toFixed(0)} ms`,
  )
}
