import { type Subject, withGateway } from '../bench.ts'
import { contest } from '../contest.ts'
import { latestOf, type RunningGateway } from '../gateway.ts'
import { largeOfTargets } from '../options.ts'
import { type Asked, checkRows, reading } from '../parity.ts'

const connections = 32
const changes = 100

/** What a feed costs must not depend on how much stock there is. */
export const feedLaw: Subject = async (bench) => {
  const { sizes } = bench.options
  const small = await bench.stock('small')
  const large = await bench.stock('large')
  await withGateway(small, (few) =>
    withGateway(large, async (many) => {
      const contenders = [
        await followed(few, 0),
        await followed(many, 0),
        await followed(few, changes),
        await followed(many, changes),
      ] as const
      for (const [at, each] of contenders.entries()) {
        checkRows(each.name, await reading(each), at < 2 ? 0 : changes)
      }
      const found = await contest('The feed and the size of the stock', contenders, bench.options)
      bench.report.add(found)
      const times = `${sizes.large.toLocaleString('en')} rows / ${sizes.small.toLocaleString('en')} rows`
      const [freshFew, freshMany, changedFew, changedMany] = contenders
      const judge = (target: string, of: Asked, over: Asked, must: number) =>
        bench.report.compare(found, {
          subject: 'feed-law',
          target,
          of: of.name,
          over: over.name,
          ...(sizes.large >= largeOfTargets ? { bound: { is: 'at most' as const, must } } : {}),
        })
      judge(`time of a feed up to date, ${times}`, freshFew, freshMany, 1.1)
      judge(`time of 100 changes, ${times}`, changedFew, changedMany, 1.2)
    }),
  )
}

/** The first of each pair is what the other is held against. */
async function followed(gateway: RunningGateway, back: number) {
  const { stockUrl, headers, process: server, stock } = gateway
  const url = `${stockUrl}/changes?since=${(await latestOf(gateway)) - back}`
  const what = back === 0 ? 'up to date' : `${back} changes`
  const name = `${what}, ${stock.rows.toLocaleString('en')} rows`
  return { name, url, headers, connections, server }
}
