import type { ResultOf } from '../../api/client.ts'

export type Overview = ResultOf<'/admin/api/overview', 'get'>['data']

/** Sorts copies of the stock by age, the oldest first; before them those that were never read. */
export function sortByAge<Copy extends Pick<Overview['stock'][number], 'age_seconds'>>(
  stock: readonly Copy[],
): readonly Copy[] {
  const ageOf = ({ age_seconds }: Copy) => age_seconds ?? Number.MAX_SAFE_INTEGER
  return stock.toSorted((one, other) => ageOf(other) - ageOf(one))
}
