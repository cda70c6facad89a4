import { expect, it } from 'vitest'
import { matchesETag } from './etag.ts'

it.each([
  [[], false],
  [['*'], true],
  [[' * '], true],
  [['"a"'], true],
  [['W/"a"'], true],
  [['"b", W/"a"'], true],
  [['"b"', '"a"'], true],
  [['"b","a,c"'], false],
  [['"b, "a"'], false],
  [['a'], false],
  [['"A"'], false],
  [['"*"'], false],
  [[''], false],
])('If-None-Match %j names W/"a" and "a": %s', (headers, isNamed) => {
  expect(matchesETag(headers, 'W/"a"')).toBe(isNamed)
  expect(matchesETag(headers, '"a"')).toBe(isNamed)
})
