import { afterAll, describe, expect, it } from 'vitest'
import { reportFigure } from '../promises/report-figure.ts'
import { erpClasses, type OrderingHouse, OrderingRun, openOrderingHouse } from './ordering-world.ts'
import { seed, sizes } from './sizes.ts'

const timeoutMs = 3_600_000
const steps = 40

const houses: OrderingHouse[] = []
afterAll(async () => {
  for (const { house } of houses) await house.close()
})

describe.each(erpClasses)('orders at an ERP that $name', (kind) => {
  it(
    'are never oversold, lost, made twice or leaked, whatever is lost, late or crashes',
    async () => {
      const of = await openOrderingHouse(kind)
      houses.push(of)
      const first = seed ?? Math.floor(performance.now() * 1000)
      for (let run = 0; run < sizes.orderings; run++) {
        const trial = new OrderingRun(of, await of.token(), first + run)
        trial.prepare()
        await trial.runSteps(steps)
        expect(await trial.findViolations(), `FAULTS_SEED=${first + run} FAULTS_ORDERINGS=1`).toEqual([])
        trial.recordNewestDocument()
      }
      reportFigure(
        ['I1', 'I3', 'I6', 'I7'],
        `an ERP that ${kind.name}: ${sizes.orderings} runs of ${steps} steps from seed ${first}; 0 violations`,
      )
    },
    timeoutMs,
  )
})
