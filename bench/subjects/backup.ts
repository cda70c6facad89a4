import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Bench, type Subject, withGateway } from '../bench.ts'
import type { FilledStock, RunningGateway } from '../gateway.ts'
import { formatSku } from '../goods.ts'
import { openInternals } from '../internals.ts'
import { createNumberReader } from '../load.ts'
import { targetRows } from '../options.ts'
import { sendProbeCommand } from '../probe.ts'
import { sendRequest } from '../send-request.ts'
import { adminToken } from '../stock.ts'
import { fillOrders } from './operator-tables.ts'

const ordersInDatabase = 100_000
const changedRows = 5_000
const bound = { is: 'at most', must: 20 } as const

/**
 * Measures for how long a backup of the embedded database blocks the event loop, alone and while stock changes. A change
 * alone blocks it too, for which the third figure stands.
 */
export const measureBackups: Subject = async (bench) => {
  const stock = await bench.provideStock('large')
  await fill(bench, stock)
  await withGateway(stock, async (gateway) => {
    const { repeats } = bench.options
    const alone: Copy[] = []
    const beside: Copy[] = []
    const changes: number[] = []
    for (let round = 0; round < repeats; round++) {
      alone.push(await measureCopy(gateway))
      changes.push(await measureBlocked(gateway, () => changeStock(gateway, 2 * round)))
      beside.push(await measureCopy(gateway, 2 * round + 1))
    }
    judge(bench, stock, 'a backup alone', alone)
    judge(bench, stock, `a backup while ${changedRows.toLocaleString('en')} rows change`, beside)
    bench.report.judge({ subject: 'backup', target: 'the same changes alone', unit: 'ms', values: changes })
  })
}

async function fill({ report }: Bench, { settings }: FilledStock): Promise<void> {
  report.printProgress(`${ordersInDatabase.toLocaleString('en')} orders`)
  const internals = await openInternals(settings)
  try {
    await fillOrders(internals, ordersInDatabase)
  } finally {
    await internals.store.close()
  }
}

interface Copy {
  readonly blockedMs: number
  readonly ms: number
  readonly bytes: number
}

/** Makes a backup, beside a change of stock if `change` numbers one. */
async function measureCopy(gateway: RunningGateway, change?: number): Promise<Copy> {
  let copied = { ms: 0, bytes: 0 }
  const blockedMs = await measureBlocked(gateway, async () => {
    const changing = change === undefined ? undefined : changeStock(gateway, change)
    copied = await copy(gateway)
    await changing
  })
  return { blockedMs, ...copied }
}

/** Returns the longest time for which the event loop was blocked during the work. */
async function measureBlocked({ process }: RunningGateway, work: () => Promise<void>): Promise<number> {
  await sendProbeCommand(process, 'watch')
  await work()
  return createNumberReader(await sendProbeCommand(process, 'report'))('blockedMs')
}

async function copy({ url, stock }: RunningGateway): Promise<{ ms: number; bytes: number }> {
  const began = performance.now()
  const { status, body } = await sendRequest(`${url}/admin/api/backups`, {
    method: 'POST',
    headers: { 'x-admin-token': adminToken, 'content-type': 'application/json' },
    body: '{}',
  })
  if (status !== 201) throw new Error(`No backup: ${status} ${body.toString()}`)
  const { data }: { data: { file: string; bytes: number; logs: number } } = JSON.parse(body.toString())
  const ms = performance.now() - began
  for (const name of [data.file, ...Array.from({ length: data.logs }, (_, at) => `${data.file}-log-${at}`)])
    rmSync(join(stock.dataDir, name))
  return { ms, bytes: data.bytes }
}

/** Changes stock at the ERP, and waits until the gateway has asked for all of it. */
async function changeStock({ erp, stock }: RunningGateway, round: number): Promise<void> {
  const step = Math.floor(stock.rows / changedRows)
  const skus = Array.from({ length: changedRows }, (_, at) => formatSku(at * step + (round % step)))
  await erp.change(skus).deliveredAt
}

function judge({ report, options }: Bench, stock: FilledStock, name: string, copies: readonly Copy[]) {
  const [last] = copies.slice(-1)
  const isOfTarget = options.sizes.large >= targetRows
  report.judge({
    subject: 'backup',
    target: `${name}, ${stock.rows.toLocaleString('en')} rows and ${ordersInDatabase.toLocaleString('en')} orders: loop blocked`,
    unit: 'ms',
    values: copies.map(({ blockedMs }) => blockedMs),
    detail: `${((last?.bytes ?? 0) / 2 ** 20).toFixed(0)} MiB in ${last?.ms.toFixed(0)} ms`,
    ...(isOfTarget ? { bound } : {}),
  })
}
