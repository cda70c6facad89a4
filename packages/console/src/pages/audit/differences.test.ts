import { describe, expect, it } from 'vitest'
import { findDifferences } from './differences.ts'

describe('the differences of a change', () => {
  it('are the fields that changed, came or went', () => {
    expect(
      findDifferences(
        { plan: 'reader', name: 'A', old: 1, list: ['x'] },
        { plan: 'trader', name: 'A', list: [], fresh: null },
      ),
    ).toEqual([
      { name: 'plan', before: 'reader', after: 'trader' },
      { name: 'old', before: '1', after: '' },
      { name: 'list', before: '["x"]', after: '[]' },
      { name: 'fresh', before: '', after: 'null' },
    ])
  })

  it('are every field of what was created or deleted', () => {
    expect(findDifferences(null, { id: 'a' })).toEqual([{ name: 'id', before: '', after: 'a' }])
    expect(findDifferences(null, null)).toEqual([])
  })
})
