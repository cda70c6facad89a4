import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as deliberate from './deliberate-changes.ts'
import type { OpenApi } from './growth.ts'
import { findBreaks, parseOpenApi } from './growth.ts'
import { findDifferences, type Wording } from './meaning.ts'

const root = join(import.meta.dirname, '../../..')
const releases = readdirSync(join(root, 'released')).filter((file) => file.endsWith('.json'))

describe('the contract', () => {
  it.each(releases)('only grows since released/%s', (release) => {
    expect(findBreaks(readDocument(`released/${release}`), readDocument('contract/openapi.json'))).toEqual([])
  })

  it('is compared with at least one release', () => {
    expect(releases).toContain('1.4.0.json')
  })
})

describe('the meaning of what 1.4.0 released', () => {
  const found = findDifferences(readDocument('released/1.4.0.json'), readDocument('contract/openapi.json'))

  it('is described in the released words, or in words that somebody has decided on (deliberate-changes.ts)', () => {
    const decided = deliberate.wordings.flatMap(({ changes }) => changes)
    expect(found.wordings.map(toLine).toSorted()).toEqual(decided.map(toLine).toSorted())
  })

  it('has the released limits, or limits that somebody has decided on (deliberate-changes.ts)', () => {
    const decided = deliberate.limits.flatMap(({ changes }) => changes)
    expect(found.limits.toSorted()).toEqual(decided.toSorted())
  })
})

const toLine = ({ was, is }: Wording) => `${was} → ${is}`

function readDocument(path: string): OpenApi {
  return parseOpenApi(readFileSync(join(root, path), 'utf8'))
}
