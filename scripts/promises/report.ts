import { posix, relative, sep } from 'node:path'
import { z } from 'zod'
import type { Promised } from '../../packages/gateway/tests/promises/promise.ts'

const maxReports = 20

/** The part of vitest's JSON report that is read here. */
const reportSchema = z.object({
  startTime: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      assertionResults: z.array(
        z.object({
          ancestorTitles: z.array(z.string()),
          title: z.string(),
          status: z.string(),
          meta: z
            .object({
              figures: z.array(z.object({ promises: z.array(z.string()), text: z.string() })).optional(),
            })
            .default({}),
        }),
      ),
    }),
  ),
})

/** A test that ran. A skipped test proves nothing and is left out. */
export interface Trial {
  readonly file: string
  readonly titles: readonly string[]
  readonly hasPassed: boolean
  readonly figures: readonly { readonly promises: readonly string[]; readonly text: string }[]
}

export interface Run {
  readonly startedAt: number
  readonly trials: readonly Trial[]
}

/** The result of one promise in a run: how many of its tests ran and passed, and what they reported. */
export interface Figure {
  readonly passed: number
  readonly ran: number
  readonly texts: readonly string[]
}

/** Joins the reports of one run. If a test is in several of them, the last one counts. Throws a `ZodError`. */
export function readRun(reports: readonly string[], root: string): Run {
  if (reports.length > maxReports) throw new RangeError(`At most ${maxReports} reports are read.`)
  const trials = new Map<string, Trial>()
  let startedAt = 0
  for (const text of reports) {
    const { startTime, testResults } = reportSchema.parse(JSON.parse(text))
    startedAt = Math.max(startedAt, startTime)
    for (const { name, assertionResults } of testResults) {
      const file = relative(root, name).split(sep).join(posix.sep)
      for (const { ancestorTitles, title, status, meta } of assertionResults) {
        if (status !== 'passed' && status !== 'failed') continue
        const titles = [...ancestorTitles, title]
        const trial = { file, titles, hasPassed: status === 'passed', figures: meta.figures ?? [] }
        trials.set(JSON.stringify([file, ...titles]), trial)
      }
    }
  }
  return { startedAt, trials: [...trials.values()] }
}

/** Computes the figure of a promise. Returns undefined if none of its tests ran. */
export function computeFigure(id: string, promised: Promised, { trials }: Run): Figure | undefined {
  const own = trials.filter((trial) => isTestOfPromise(promised, trial))
  if (own.length === 0) return undefined
  const texts = own
    .flatMap(({ figures }) => figures)
    .filter(({ promises }) => promises.includes(id))
    .map(({ text }) => text)
  return { passed: own.filter(({ hasPassed }) => hasPassed).length, ran: own.length, texts }
}

function isTestOfPromise({ triedBy }: Promised, { file, titles }: Trial): boolean {
  return (triedBy[file] ?? []).some((wanted) => titles.some((title) => toPattern(wanted).test(title)))
}

/**
 * Converts the name of a test to a pattern. The name in the report begins with the name in the test's file, whose
 * placeholders are filled in.
 */
function toPattern(name: string): RegExp {
  const parts = name.split(/%[sdij]|\$\w+/)
  return new RegExp(`^${parts.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('.*')}`)
}
