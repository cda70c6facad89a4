import { expect, it } from 'vitest'
import { type Source, spread } from './sources.ts'

const [storage, bin] = [1, 2]
const of = (product: number, location: number, quantity: number): Source => ({ product, location, quantity })

it.each<[string, Source[], Source[], Source[][]]>([
  ['one that is there stays', [of(7, storage, 3)], [of(7, storage, 5)], [[of(7, storage, 3)]]],
  ['one that is elsewhere moves', [of(7, storage, 3)], [of(7, bin, 3)], [[of(7, bin, 3)]]],
  [
    'one is split, its own location first',
    [of(7, storage, 6)],
    [of(7, bin, 5), of(7, storage, 2)],
    [[of(7, storage, 2), of(7, bin, 4)]],
  ],
  [
    'what was split stays',
    [of(7, storage, 2), of(7, bin, 4)],
    [of(7, bin, 5), of(7, storage, 2)],
    [[of(7, storage, 2)], [of(7, bin, 4)]],
  ],
  [
    'two never take the same units, nor those of another product',
    [of(7, storage, 3), of(7, storage, 2), of(8, storage, 1)],
    [of(7, bin, 4), of(7, storage, 1)],
    [[of(7, storage, 1), of(7, bin, 2)], [of(7, bin, 2)], [of(8, storage, 1)]],
  ],
  ['what no source has stays', [of(7, storage, 3)], [of(7, bin, 1)], [[of(7, bin, 1), of(7, storage, 2)]]],
])('Moves are spread over the locations that have their units: %s', (_name, wanted, sources, parts) => {
  expect(spread(wanted, sources)).toEqual(parts)
})
