/**
 * The reasons why no test can notice a mutant. A reason names its mutant by the code around it, and not by its line,
 * whose number changes with every edit above. That code occurs once in the file, so a reason never explains a mutant of
 * another place that replaces the same code by the same.
 */

import type { EquivalentMutant } from './subjects.ts'

/** A mutant of a run. */
export interface Mutation {
  readonly file: string
  /** Where the replaced code begins in the file, after `toSingleSpaces`. */
  readonly at: number
  /** Both in one line, as in a reason. */
  readonly original: string
  readonly replacement: string
}

/** Replaces each line break and each indentation by one space. */
export function toSingleSpaces(code: string): string {
  return code.replaceAll(/\s+/g, ' ')
}

/** Whether a reason explains a mutant. `text` is the file. */
export function isExplainedBy(reason: EquivalentMutant, mutation: Mutation, text: string): boolean {
  const { file, original, replacement } = reason
  const isSame =
    file === mutation.file && original === mutation.original && replacement === mutation.replacement
  return isSame && findPlace(reason, text) === mutation.at
}

/** Finds where the code that a reason explains begins, as in `Mutation`; undefined if that is not exactly one place. */
function findPlace({ within, original }: EquivalentMutant, text: string): number | undefined {
  const [at, ...others] = listPlaces(toSingleSpaces(text), within)
  const [inside, ...further] = listPlaces(within, original)
  if (at === undefined || inside === undefined || others.length + further.length > 0) return undefined
  return at + inside
}

function listPlaces(text: string, part: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) places.push(at)
  return places
}

/** Returns why a reason does not name one place of its file, as a sentence; undefined if it does. */
export function findMisplacement(reason: EquivalentMutant, text: string): string | undefined {
  if (findPlace(reason, text) !== undefined) return undefined
  const { file, within, original } = reason
  const [around, inside] = [listPlaces(toSingleSpaces(text), within), listPlaces(within, original)]
  return (
    `${file} has "${within}" ${countTimes(around)}, and that has "${original}" ${countTimes(inside)}: ` +
    'a reason must name one place.'
  )
}

const countTimes = ({ length }: readonly number[]) => (length === 1 ? 'once' : `${length} times`)

/**
 * Lists the reasons that a run has shown to be out of date, each as a sentence: those without exactly one place, and
 * those of a mutant that does not exist. `mutations` are all mutants of the run, killed ones too.
 */
export function listStaleReasons(
  reasons: readonly EquivalentMutant[],
  mutations: readonly Mutation[],
  read: (file: string) => string,
): string[] {
  return reasons.flatMap((reason) => {
    const { file, within, original, replacement } = reason
    const misplacement = findMisplacement(reason, read(file))
    if (misplacement !== undefined) return [misplacement]
    if (mutations.some((mutation) => isExplainedBy(reason, mutation, read(file)))) return []
    return [
      `${file}: no mutant replaces "${original}" by "${replacement}" in "${within}": remove its reason.`,
    ]
  })
}
