import type { NamedMutant } from './named.ts'
import type { TestRun } from './run-tests.ts'

/** The longest time that the tests of one mutant may take. They take seconds, more on a busy machine. */
export const mutantTimeoutMs = 120_000

/** What the tests say about a mutant. */
export type Verdict =
  | { readonly kind: 'killed'; readonly by: string }
  | { readonly kind: 'survived' }
  /** The tests say nothing about the mutant. */
  | { readonly kind: 'invalid'; readonly why: string }

/** Judges a mutant by the run of its tests. Only a test that failed kills it, or an endless run if it `hangs`. */
export function judgeRun({ hangs }: NamedMutant, run: TestRun): Verdict {
  const [first] = run.failed
  if (first) return { kind: 'killed', by: first.name }
  if (run.isTimedOut) {
    if (hangs) return { kind: 'killed', by: 'the tests did not end' }
    return { kind: 'invalid', why: `the tests did not end within ${mutantTimeoutMs / 1000} s` }
  }
  if (run.broken !== undefined) return { kind: 'invalid', why: `no test failed, but: ${run.broken}` }
  if (run.passed.length === 0) return { kind: 'invalid', why: 'no test ran' }
  return { kind: 'survived' }
}

/** Describes a verdict in one line. */
export function describeVerdict({ name, guard }: NamedMutant, verdict: Verdict, ms: number): string {
  const seconds = `${(ms / 1000).toFixed(1)} s`
  if (verdict.kind === 'killed') return `killed ${name} ${seconds}: ${verdict.by}`
  if (verdict.kind === 'survived') return `SURVIVED ${name} ${seconds}: ${guard}`
  return `INVALID ${name} ${seconds}: ${verdict.why}`
}
