import { type Subject, withGateway } from '../bench.ts'
import { createWrkContender, runContest } from '../contest.ts'
import { type RunningGateway, readLatestVersion } from '../gateway.ts'
import { targetRows } from '../options.ts'
import { type ComparedRequest, checkRead, checkRows } from '../parity.ts'

const connections = 32
const changes = 100

/** Measures whether the cost of a request to the change feed depends on the size of the stock. It must not. */
export const measureFeedLaw: Subject = async (bench) => {
  const { sizes } = bench.options
  const small = await bench.provideStock('small')
  const large = await bench.provideStock('large')
  await withGateway(small, (few) =>
    withGateway(large, async (many) => {
      const contenders = [
        await createFeedContender(few, 0),
        await createFeedContender(many, 0),
        await createFeedContender(few, changes),
        await createFeedContender(many, changes),
      ] as const
      for (const [at, each] of contenders.entries()) {
        checkRows(each.name, await checkRead(each), at < 2 ? 0 : changes)
      }
      const found = await runContest(
        { name: 'The feed and the size of the stock', contenders },
        bench.options,
      )
      bench.report.addContest(found)
      const times = `${sizes.large.toLocaleString('en')} rows / ${sizes.small.toLocaleString('en')} rows`
      const [freshFew, freshMany, changedFew, changedMany] = contenders
      const judge = (target: string, [over, of]: [ComparedRequest, ComparedRequest], must: number) =>
        bench.report.judgeRatio(found, {
          subject: 'feed-law',
          target,
          by: 'cost',
          of: of.name,
          over: over.name,
          ...(sizes.large >= targetRows ? { bound: { is: 'at most' as const, must } } : {}),
        })
      judge(`cost of a feed without changes, ${times}`, [freshFew, freshMany], 1.1)
      judge(`cost of 100 changes, ${times}`, [changedFew, changedMany], 1.2)
    }),
  )
}

/** Creates a contender that reads the change feed from `back` versions before the newest one. */
async function createFeedContender(gateway: RunningGateway, back: number) {
  const { stockUrl, headers, process: server, stock } = gateway
  const url = `${stockUrl}/changes?since=${(await readLatestVersion(gateway)) - back}`
  const what = back === 0 ? 'up to date' : `${back} changes`
  const name = `${what}, ${stock.rows.toLocaleString('en')} rows`
  return createWrkContender({ name, url, headers, connections, server })
}
