import { type Bench, listStoreKinds, openBench, withGateway } from '../bench.ts'
import { type Contender, runContest } from '../contest.ts'
import type { FilledStock, RunningGateway } from '../gateway.ts'
import type { Tree } from '../trees.ts'
import { createMcpContenders } from './mcp.ts'
import { createOneRowContenders } from './one-row.ts'
import { createPageContenders } from './page.ts'
import { createPullContenders } from './pull.ts'
import { createRejectionContenders } from './rejections.ts'
import { createSubmitContender, openShop } from './submit.ts'

type Requests = (gateway: RunningGateway) => Promise<readonly Contender[]>

/** The requests that are sent to both commits, by the name of their subject. */
const requestsOf: Readonly<Record<string, Requests>> = {
  'one-row': async (gateway) => Object.values(await createOneRowContenders(gateway)),
  async page(gateway) {
    const { middle, few, cold } = await createPageContenders(gateway)
    return [middle, few, cold]
  },
  pull: async (gateway) => Object.values(createPullContenders(gateway)),
  async rejections(gateway) {
    const { row, ...refusals } = await createRejectionContenders(gateway)
    return Object.values(refusals)
  },
  mcp: async (gateway) => Object.values(await createMcpContenders(gateway)),
}

/** The names that `--only` accepts together with `--against`. */
export const againstSubjects: readonly string[] = [...Object.keys(requestsOf), 'submit']

/** The names that `--only` accepts together with `--measuring`. */
export const measuringSubjects: readonly string[] = ['one-row', 'submit']

interface ComparisonPlan {
  readonly subjects: readonly string[]
  /** The largest ratio of the CPU times of a request that is within the limit. */
  readonly most: number
}

/** Compares the gateway of this source tree with that of another one: both run and get load in turns. */
export async function compareTrees(
  bench: Bench,
  other: Tree,
  { subjects, most }: ComparisonPlan,
): Promise<void> {
  const { options, report, folder } = bench
  const otherBench = openBench({ options, report, folder, tree: other })
  try {
    for (const subject of subjects) {
      report.printProgress(`${subject}, this tree and ${other.name} in turns`)
      const requests = requestsOf[subject]
      const pair = { bench, other: otherBench, most }
      if (requests) await compareRequests(pair, subject, requests)
      else await compareSubmits(pair)
    }
  } finally {
    await otherBench.close()
  }
}

interface Pair {
  readonly bench: Bench
  readonly other: Bench
  readonly most: number
}

async function compareRequests(
  { bench, other, most }: Pair,
  subject: string,
  requests: Requests,
): Promise<void> {
  const stocks = [await bench.provideStock('middle'), await other.provideStock('middle')] as const
  await withGateway(stocks[0], (now) =>
    withGateway(stocks[1], async (before) =>
      compareContenders(bench, {
        subject,
        stocks,
        most,
        now: await requests(now),
        before: await requests(before),
      }),
    ),
  )
}

async function compareSubmits({ bench, other, most }: Pair): Promise<void> {
  for (const kind of listStoreKinds(bench.options)) {
    const stocks = [await bench.provideStock('small', kind), await other.provideStock('small', kind)] as const
    const now = await openShop(stocks[0])
    try {
      const before = await openShop(stocks[1])
      try {
        const name = `submit, ${stocks[0].kind}`
        await compareContenders(bench, {
          subject: 'submit',
          stocks,
          most,
          now: [createSubmitContender(now, name)],
          before: [createSubmitContender(before, name)],
        })
      } finally {
        await before.gateway.end()
      }
    } finally {
      await now.gateway.end()
    }
  }
}

interface Comparison {
  readonly subject: string
  /** The databases of this source tree and of the other one. */
  readonly stocks: readonly [FilledStock, FilledStock]
  readonly most: number
  readonly now: readonly Contender[]
  readonly before: readonly Contender[]
}

async function compareContenders(
  { options, report }: Bench,
  { subject, stocks, most, now, before }: Comparison,
): Promise<void> {
  const [{ tree: nowTree }, { tree: beforeTree }] = stocks
  const contenders = now.flatMap((each) => {
    const former = before.find(({ name }) => name === each.name)
    if (!former) return []
    return [
      { ...former, name: `${each.name}, ${beforeTree.name}`, isReference: true },
      { ...each, name: `${each.name}, ${nowTree.name}` },
    ]
  })
  const name = `${subject}: ${nowTree.name} and ${beforeTree.name}`
  const found = await runContest({ name, contenders }, options)
  report.addContest(found)
  for (const { name } of now) {
    report.judgeRatio(found, {
      subject,
      target: `CPU of ${name}: ${nowTree.name} / ${beforeTree.name}`,
      by: 'cost',
      of: `${name}, ${nowTree.name}`,
      over: `${name}, ${beforeTree.name}`,
      bound: { is: 'at most', must: most },
    })
  }
}
