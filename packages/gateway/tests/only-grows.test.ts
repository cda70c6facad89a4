import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { OpenApi } from './growth.ts'
import { findBreaks, parseOpenApi } from './growth.ts'

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

function readDocument(path: string): OpenApi {
  return parseOpenApi(readFileSync(join(root, path), 'utf8'))
}
