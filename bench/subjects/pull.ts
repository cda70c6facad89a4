import { setTimeout as pause } from 'node:timers/promises'
import { type Bench, type Subject, withGateway } from '../bench.ts'
import { createWrkContender, runContest } from '../contest.ts'
import { type RunningGateway, readLatestVersion } from '../gateway.ts'
import { formatSku } from '../goods.ts'
import { runLoad } from '../load.ts'
import { type ComparedRequest, checkRead, checkRows, requireSameBytes, stockHeaders } from '../parity.ts'
import { measureBlockedMs } from '../probe.ts'
import { startNginx } from '../references.ts'
import { sendRequest } from '../send-request.ts'
import { median } from '../statistics.ts'

const connections = 4
/** The duration of a slice. A busy machine may need more than one second to send a response of about 20 MB. */
const sliceSeconds = 4
const firstByteTries = 20
const firstByteMs = { is: 'at most', must: 20 } as const
const blockedMs = { is: 'at most', must: 10, stretch: 5 } as const

/** Creates contenders that request the whole stock of a warehouse in one response, plain and compressed. */
export function createPullContenders({ headers, stockUrl, process: server }: RunningGateway) {
  const createContender = (name: string, own: ComparedRequest['headers']) =>
    createWrkContender({ name, url: stockUrl, headers: own, connections, server, sliceSeconds })
  return {
    plain: createContender('full pull', headers),
    zipped: createContender('full pull, gzip', { ...headers, 'accept-encoding': 'gzip' }),
  }
}

/** Compares full pulls (the whole stock in one response) with nginx, which sends a file of the same bytes. */
export const measureFullPull: Subject = async (bench) => {
  const stock = await bench.provideStock('middle')
  await withGateway(stock, async (gateway) => {
    const { plain, zipped } = createPullContenders(gateway)
    const seen = await checkRead(plain)
    checkRows(plain.name, seen, stock.rows)
    const seenZipped = await checkRead(zipped, [...stockHeaders, 'content-encoding'])

    const { url, process: server } = await startNginx(bench.folder, seen.body, seenZipped.body)
    const reference = { url, server, connections, sliceSeconds, isReference: true }
    const file = createWrkContender({ ...reference, name: 'nginx, file', headers: {} })
    const zippedFile = createWrkContender({
      ...reference,
      name: 'nginx, file.gz',
      headers: { 'accept-encoding': 'gzip' },
    })
    await requireSameBytes(seen.body, [file, plain])
    await requireSameBytes(seenZipped.body, [zippedFile, zipped], ['content-encoding'])
    const found = await runContest(
      {
        name: `Full pull of ${stock.rows.toLocaleString('en')} rows (${formatMegabytes(seen.body)}, gzip ${formatMegabytes(seenZipped.body)})`,
        contenders: [file, plain, zippedFile, zipped],
        steadyBy: ['perSecond'],
      },
      bench.options,
    )
    await server.end()
    bench.report.addContest(found)
    const bound = { is: 'at least', must: 1, stretch: 2.8 } as const
    // Judges by throughput: nginx uses sendfile, so its CPU time is not comparable with sending from memory.
    const judge = (target: string, of: ComparedRequest, over: ComparedRequest) =>
      bench.report.judgeRatio(found, {
        subject: 'pull',
        target,
        by: 'throughput',
        of: of.name,
        over: over.name,
        bound,
      })
    judge('full pull / nginx', plain, file)
    judge('full pull, gzip / nginx, file.gz', zipped, zippedFile)
    for (const each of [plain, zipped]) await measureBlocking(bench, gateway, each)
    await measureFirstAfterChange(bench, gateway, zipped)
  })
}

/** Measures the time to the first byte of a pull, and how long pulls block the event loop for other requests. */
async function measureBlocking(
  { report, options }: Bench,
  { process: server }: RunningGateway,
  pull: ComparedRequest,
) {
  const blocked: number[] = []
  for (let round = 0; round < options.rounds; round++) {
    const target = { ...pull, connections, server }
    blocked.push(await measureBlockedMs(server, () => runLoad(target, options.seconds)))
  }
  report.judge({
    subject: 'pull',
    target: `${pull.name}: loop blocked, ${connections} at once`,
    unit: 'ms',
    values: blocked,
    bound: blockedMs,
  })
  const firstBytes: number[] = []
  for (let tries = 0; tries < firstByteTries; tries++) {
    firstBytes.push((await sendRequest(pull.url, { headers: pull.headers })).firstByteMs)
  }
  report.judge({
    subject: 'pull',
    target: `${pull.name}: first byte`,
    unit: 'ms',
    values: firstBytes,
    bound: firstByteMs,
  })
}

/** Measures the first compressed pull after a stock change, which has to build the compressed body again. */
async function measureFirstAfterChange(
  { report, options }: Bench,
  gateway: RunningGateway,
  pull: ComparedRequest,
) {
  const firstBytes: number[] = []
  const blocked: number[] = []
  for (let round = 0; round < options.rounds; round++) {
    const before = await readLatestVersion(gateway)
    gateway.erp.change([formatSku(round)])
    while ((await readLatestVersion(gateway)) === before) await pause(20)
    const pullOnce = async () => {
      firstBytes.push((await sendRequest(pull.url, { headers: pull.headers })).firstByteMs)
    }
    blocked.push(await measureBlockedMs(gateway.process, pullOnce))
  }
  report.judge({
    subject: 'pull',
    target: `${pull.name}: first byte, first after a change`,
    unit: 'ms',
    values: firstBytes,
    bound: firstByteMs,
    detail: `loop blocked ${median(blocked).toFixed(1)} ms`,
  })
}

function formatMegabytes({ length }: Buffer): string {
  return `${(length / 1e6).toFixed(1)} MB`
}
