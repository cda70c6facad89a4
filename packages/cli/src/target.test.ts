import { expect, it } from 'vitest'
import { readTarget } from './target.ts'

it.each([
  ['3000', 'http://127.0.0.1:3000/'],
  [':3000/hook', 'http://127.0.0.1:3000/hook'],
  ['localhost/hook', 'http://localhost/hook'],
  ['handler:3000', 'http://handler:3000/'],
  ['shop.example/hook', 'http://shop.example/hook'],
  ['https://handler/hook', 'https://handler/hook'],
])('takes %s as an address', (given, full) => {
  expect(readTarget(given)).toBe(full)
})

it.each(['foo', 'foo/hook', '', ':hook', 'http://', '/hook', ':99999'])('refuses "%s"', (given) => {
  expect(() => readTarget(given)).toThrow('such as :3000/hook')
})
