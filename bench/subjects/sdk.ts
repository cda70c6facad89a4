import { TradeGateway } from '@trade-gateway/sdk'
import { type Subject, withGateway } from '../bench.ts'
import { formatSku, warehouse } from '../goods.ts'
import { checkRead } from '../parity.ts'
import { startBareNode } from '../references.ts'
import { createOneRowContenders } from './one-row.ts'

const warmUpCalls = 2_000
/** Short, so that what else changes the speed of this machine meets both alike. */
const callsOfSlice = 100

/**
 * Measures what the SDK adds to a bare `fetch` with its JSON parsed: the CPU time of this process for a call of one
 * row, minus that of `fetch`, in slices that alternate. Both read the same bytes from a bare server.
 */
export const measureSdk: Subject = async ({ provideStock, folder, report, options }) => {
  await withGateway(await provideStock('small'), async (gateway) => {
    const { row } = await createOneRowContenders(gateway)
    const { body } = await checkRead(row)
    const bare = await startBareNode(folder, body)
    const baseUrl = new URL(bare.url).origin
    const { warehouse_code } = warehouse
    const sku = formatSku(gateway.stock.rows >> 1)
    const client = new TradeGateway({ baseUrl, auth: { accessToken: 'a-token' } })
    const url = `${baseUrl}/api/v1/warehouses/${warehouse_code}/stock?sku=${sku}`
    const headers = { accept: 'application/json', authorization: 'Bearer a-token' }
    const callBySdk = () => client.stock.page(warehouse_code, { sku })
    const callByFetch = async () => (await fetch(url, { headers })).json()
    for (const call of [callBySdk, callByFetch]) await measureCpu(call, warmUpCalls)
    const added: number[] = []
    const shown: string[] = []
    for (let round = 0; round < options.rounds * 50; round++) {
      const isSdkFirst = round % 2 === 0
      const first = await measureCpu(isSdkFirst ? callBySdk : callByFetch, callsOfSlice)
      const second = await measureCpu(isSdkFirst ? callByFetch : callBySdk, callsOfSlice)
      const [sdk, plain] = isSdkFirst ? [first, second] : [second, first]
      added.push(sdk - plain)
      shown.push(`${sdk.toFixed(0)}−${plain.toFixed(0)}`)
    }
    await bare.process.end()
    report.judge({
      subject: 'sdk',
      target: 'a call of the SDK − bare fetch, CPU time',
      unit: 'µs',
      values: added,
      bound: { is: 'at most', must: 60 },
      detail: shown.slice(0, 3).join(' '),
    })
  })
}

/** Runs calls one after the other. Returns the CPU time of one in microseconds. */
async function measureCpu(call: () => PromiseLike<unknown>, calls: number): Promise<number> {
  const before = process.cpuUsage()
  for (let each = 0; each < calls; each++) await call()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / calls
}
