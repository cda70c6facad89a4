import { expect, it } from 'vitest'
import { createCatalogueSource } from './source.ts'

const today = '2026-11-22'

it('creates the given number of styles, besides the triggers', async () => {
  const source = await createCatalogueSource(undefined, 1, 3)
  const { products } = await source.load(today)
  expect(products.map(({ product_code }) => product_code)).toHaveLength(4)
})

it('names another size as another catalogue, so that a database of the first is refused', async () => {
  const ids = await Promise.all(
    [undefined, 2_000, 100].map((styles) => createCatalogueSource(undefined, 1, styles)),
  )
  expect(ids.map(({ id }) => id)).toEqual([
    'the built-in catalogue with seed 1',
    'the built-in catalogue with seed 1',
    'the built-in catalogue with seed 1 and 100 styles',
  ])
})
