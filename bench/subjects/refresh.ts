import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { type Bench, listStoreKinds, type Subject, withGateway } from '../bench.ts'
import { type FilledStock, getNodePath, type RunningGateway, readLatestVersion } from '../gateway.ts'
import { createFigure, formatSku } from '../goods.ts'
import { createNumberReader } from '../load.ts'
import { targetRows } from '../options.ts'
import { ParityError } from '../parity.ts'
import { sendProbeCommand } from '../probe.ts'
import { serverCore, startPinned } from '../processes.ts'
import { profileWhile } from '../profile.ts'
import { readJsonMember, sendRequest } from '../send-request.ts'
import { median } from '../statistics.ts'
import type { Judged } from '../target.ts'

const changedRows = 10_000
const pollMs = 2
const maxFeedRows = 1_000
const withinMs = 60_000
const partsFile = new URL('../refresh-parts.ts', import.meta.url).pathname

/**
 * Measures the time from the ERP's first report of changed SKUs until the change feed returns all changed rows. Also
 * measures the parts of this time.
 */
export const measureRefresh: Subject = async (bench) => {
  for (const kind of listStoreKinds(bench.options)) {
    const stock = await bench.provideStock('large', kind)
    const rounds = await withGateway(stock, async (gateway) => {
      const measured: Round[] = []
      const { repeats, profile } = bench.options
      for (let round = 0; round < repeats; round++) measured.push(await measureRound(gateway, round))
      if (profile) {
        await profileWhile(gateway.process, `a refresh on ${stock.kind}, each changed row`, async () => {
          await measureRound(gateway, repeats)
          return changedRows
        })
      }
      return measured
    })
    judgeRefresh(bench, stock, { rounds, parts: await measureParts(bench, stock) })
  }
}

interface Round {
  readonly ms: number
  readonly erpMs: number
  readonly blockedMs: number
}

/**
 * Lists the SKUs of evenly spaced rows: no two are neighbours, which is the worst case for storage in blocks of rows.
 */
function chooseSkusToChange(rows: number, round: number): string[] {
  const step = Math.floor(rows / changedRows)
  return Array.from({ length: changedRows }, (_, at) => formatSku(at * step + (round % step)))
}

async function measureRound(gateway: RunningGateway, round: number): Promise<Round> {
  const before = await readLatestVersion(gateway)
  await sendProbeCommand(gateway.process, 'watch')
  const change = gateway.erp.change(chooseSkusToChange(gateway.stock.rows, round))
  const late = AbortSignal.timeout(withinMs)
  const began = await Promise.race([change.deliveredAt, once(late, 'abort').then(throwNotPolledError)])
  while ((await readLatestInFeed(gateway, before)) < before + changedRows) {
    if (late.aborted) throw new ParityError('The feed did not return the changes in time.')
    await pause(pollMs)
  }
  const ms = performance.now() - began
  const erpMs = change.readBusyMs()
  const blockedMs = createNumberReader(await sendProbeCommand(gateway.process, 'report'))('blockedMs')
  await checkFeed(gateway, { before, round, change: change.change })
  return { ms, erpMs, blockedMs }
}

function throwNotPolledError(): never {
  throw new ParityError('The gateway did not poll the ERP for changes in time.')
}

async function readLatestInFeed({ stockUrl, headers }: RunningGateway, since: number): Promise<number> {
  const seen = await sendRequest(`${stockUrl}/changes?since=${since}&page_size=1`, { headers })
  return Number(readJsonMember(seen, 'latest'))
}

/** Checks that the feed returns each changed SKU exactly once, with the figures of the ERP. */
async function checkFeed(
  { stockUrl, headers, stock }: RunningGateway,
  { before, round, change }: { before: number; round: number; change: number },
) {
  const expected = new Set(chooseSkusToChange(stock.rows, round))
  const { quantity_available } = createFigure(formatSku(0), change)
  let since = before
  for (let rows = 0; rows < changedRows; rows += maxFeedRows) {
    const seen = await sendRequest(`${stockUrl}/changes?since=${since}`, { headers })
    const page: { version: number; data: { sku: string; quantity_available: number }[] } = JSON.parse(
      seen.body.toString(),
    )
    for (const row of page.data) {
      if (expected.delete(row.sku) && row.quantity_available === quantity_available) continue
      throw new ParityError(`The feed returned ${row.sku} twice or with figures that the ERP did not send.`)
    }
    since = page.version
  }
  if (expected.size > 0) throw new ParityError(`The feed did not return ${expected.size} changed rows.`)
}

type Parts = (name: string) => number

/**
 * Measures the two parts of a refresh separately: writing the changes to the database, and updating the snapshot from
 * it. Runs `refresh-parts.ts` on the same database, without HTTP and ERP.
 */
async function measureParts({ options, report }: Bench, stock: FilledStock): Promise<Parts[]> {
  report.printProgress(`writing and following ${changedRows.toLocaleString('en')} changes on ${stock.kind}`)
  const child = startPinned({
    name: 'the parts of a refresh',
    core: serverCore,
    command: [getNodePath(), partsFile, String(stock.rows), String(changedRows), String(options.repeats)],
    cwd: stock.dataDir,
    log: `${stock.dataDir}/parts.log`,
    env: stock.settings,
    hasIpcChannel: true,
  })
  const { promise, resolve, reject } = Promise.withResolvers<Parts[]>()
  const rounds: Parts[] = []
  child.child.on('message', (message) => {
    rounds.push(createNumberReader(message))
    if (rounds.length === options.repeats) resolve(rounds)
  })
  child.child.once('exit', () => reject(new Error(`${child.name} ended early:\n${child.readLogTail()}`)))
  try {
    return await promise
  } finally {
    await child.end()
  }
}

interface Refresh {
  readonly rounds: readonly Round[]
  readonly parts: readonly Parts[]
}

function judgeRefresh({ report, options }: Bench, stock: FilledStock, { rounds, parts }: Refresh) {
  const isOfTarget = options.sizes.large >= targetRows
  const what = `${changedRows.toLocaleString('en')} changed among ${stock.rows.toLocaleString('en')}, ${stock.kind}`
  const judge = (
    target: string,
    values: number[],
    { bound, detail = '' }: Pick<Judged, 'bound' | 'detail'>,
  ) =>
    report.judge({
      subject: 'refresh',
      target: `${what}: ${target}`,
      unit: 'ms',
      values,
      detail,
      ...(isOfTarget && bound ? { bound } : {}),
    })
  const readSeries = (name: string) => parts.map((readPart) => readPart(name))
  const describeBlocked = (name: string) => `loop blocked ${median(readSeries(name)).toFixed(0)} ms`
  const erpMs = median(rounds.map((round) => round.erpMs)).toFixed(0)
  judge(
    'ERP to feed',
    rounds.map(({ ms }) => ms),
    { bound: { is: 'at most', must: 300, stretch: 150 }, detail: `the ERP itself took ${erpMs} ms` },
  )
  judge(
    'loop blocked',
    rounds.map(({ blockedMs }) => blockedMs),
    { bound: { is: 'at most', must: 10 } },
  )
  judge('writing alone', readSeries('writeMs'), { detail: describeBlocked('writeBlockedMs') })
  judge('following alone', readSeries('followMs'), { detail: describeBlocked('followBlockedMs') })
}
