import { expect, it } from 'vitest'
import { sortByAge } from './overview.ts'

it('puts the copy first that was never read, and then the oldest', () => {
  const ages = [7, null, 0, 400].map((age_seconds) => ({ age_seconds }))
  expect(sortByAge(ages).map(({ age_seconds }) => age_seconds)).toEqual([null, 400, 7, 0])
})
