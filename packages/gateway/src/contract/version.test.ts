import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { apiVersion } from './version.ts'

const source = join(import.meta.dirname, '..')

/** Matches `since`, the version that added an endpoint, which does not change with the API's version. */
const sinceLine = /^\s*(?:since|'x-since'): /

function findLinesWithVersion(text: string): string[] {
  return text.split('\n').filter((line) => line.includes(apiVersion) && !sinceLine.test(line))
}

it('types the version of the API in one file only', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  )
  const offenders = files.filter(
    (path) => findLinesWithVersion(readFileSync(join(source, path), 'utf8')).length > 0,
  )
  expect(offenders).toEqual(['contract/version.ts'])
})
