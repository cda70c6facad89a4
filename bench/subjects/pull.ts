import { setTimeout as pause } from 'node:timers/promises'
import { ask } from '../ask.ts'
import { type Bench, type Subject, withGateway } from '../bench.ts'
import { contest } from '../contest.ts'
import { latestOf, type RunningGateway } from '../gateway.ts'
import { skuOf } from '../goods.ts'
import { load } from '../load.ts'
import { type Asked, checkRows, reading, sameBytes, stockHeaders } from '../parity.ts'
import { blockedMsDuring } from '../probe.ts'
import { startNginx } from '../references.ts'
import { median } from '../statistics.ts'

const connections = 4
const firstByteTries = 20
const firstByteMs = { is: 'at most', must: 20 } as const
const blockedMs = { is: 'at most', must: 10 } as const

/** The whole stock of a warehouse in one answer, plain and compressed, against a file of the same bytes. */
export const pull: Subject = async (bench) => {
  const stock = await bench.stock('middle')
  await withGateway(stock, async (gateway) => {
    const { headers, stockUrl, process: server } = gateway
    const plain = { name: 'full pull', url: stockUrl, headers }
    const zipped = {
      name: 'full pull, gzip',
      url: stockUrl,
      headers: { ...headers, 'accept-encoding': 'gzip' },
    }
    const seen = await reading(plain)
    checkRows(plain.name, seen, stock.rows)
    const seenZipped = await reading(zipped, [...stockHeaders, 'content-encoding'])

    const nginx = await startNginx(bench.folder, seen.body, seenZipped.body)
    const file = { name: 'nginx, file', url: nginx.url, headers: {} }
    const zippedFile = { name: 'nginx, file.gz', url: nginx.url, headers: { 'accept-encoding': 'gzip' } }
    await sameBytes(seen.body, [file, plain])
    await sameBytes(seenZipped.body, [zippedFile, zipped], ['content-encoding'])
    const found = await contest(
      `Full pull of ${stock.rows.toLocaleString('en')} rows (${megabytes(seen.body)}, gzip ${megabytes(seenZipped.body)})`,
      [
        { ...file, connections, server: nginx.process, isReference: true },
        { ...plain, connections, server },
        { ...zippedFile, connections, server: nginx.process, isReference: true },
        { ...zipped, connections, server },
      ],
      bench.options,
    )
    await nginx.process.end()
    bench.report.add(found)
    const bound = { is: 'at least', must: 1, stretch: 2.8 } as const
    const judge = (target: string, of: Asked, over: Asked) =>
      bench.report.compare(found, { subject: 'pull', target, of: of.name, over: over.name, bound })
    judge('full pull / nginx', plain, file)
    judge('full pull, gzip / nginx, file.gz', zipped, zippedFile)
    for (const each of [plain, zipped]) await measureCourtesy(bench, gateway, each)
    await measureFirstAfterChange(bench, gateway, zipped)
  })
}

/** How soon a pull begins, and how long the others wait while pulls are sent. */
async function measureCourtesy(
  { report, options }: Bench,
  { process: server }: RunningGateway,
  asked: Asked,
) {
  const blocked: number[] = []
  for (let round = 0; round < options.rounds; round++) {
    const target = { ...asked, connections, server }
    blocked.push(await blockedMsDuring(server, () => load(target, options.seconds)))
  }
  report.judge({
    subject: 'pull',
    target: `${asked.name}: loop blocked, ${connections} at once`,
    unit: 'ms',
    values: blocked,
    bound: blockedMs,
  })
  const firstBytes: number[] = []
  for (let tries = 0; tries < firstByteTries; tries++) {
    firstBytes.push((await ask(asked.url, { headers: asked.headers })).firstByteMs)
  }
  report.judge({
    subject: 'pull',
    target: `${asked.name}: first byte`,
    unit: 'ms',
    values: firstBytes,
    bound: firstByteMs,
  })
}

/** The first who asks for a compressed body after a change pays for it; stock changes all day. */
async function measureFirstAfterChange({ report, options }: Bench, gateway: RunningGateway, asked: Asked) {
  const firstBytes: number[] = []
  const blocked: number[] = []
  for (let round = 0; round < options.rounds; round++) {
    const before = await latestOf(gateway)
    gateway.erp.change([skuOf.number(round)])
    while ((await latestOf(gateway)) === before) await pause(20)
    const pulled = async () => {
      firstBytes.push((await ask(asked.url, { headers: asked.headers })).firstByteMs)
    }
    blocked.push(await blockedMsDuring(gateway.process, pulled))
  }
  report.judge({
    subject: 'pull',
    target: `${asked.name}: first byte, first after a change`,
    unit: 'ms',
    values: firstBytes,
    bound: firstByteMs,
    detail: `loop blocked ${median(blocked).toFixed(1)} ms`,
  })
}

function megabytes({ length }: Buffer): string {
  return `${(length / 1e6).toFixed(1)} MB`
}
