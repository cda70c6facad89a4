import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { operationIds } from './erp.ts'
import { buildConnectorOpenApi, serializeConnectorOpenApi } from './openapi.ts'

const file = fileURLToPath(new URL('../../../contract/connector-openapi.json', import.meta.url))
const document = buildConnectorOpenApi()

describe('contract/connector-openapi.json', () => {
  it('is what the operations say (npm run contract)', () => {
    expect(readFileSync(file, 'utf8')).toBe(serializeConnectorOpenApi())
  })

  it('has every operation, and every schema that it refers to', () => {
    expect(Object.keys(document.paths)).toEqual(operationIds.map((id) => `/${id}`))
    const text = JSON.stringify(document)
    const names = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name)
    expect([...new Set(names)].toSorted()).toEqual(Object.keys(document.components.schemas).toSorted())
  })

  it('lets an older connector leave out what is newer than it', () => {
    const { required, properties } = Object(document.components.schemas.Capabilities)
    const added = ['settles', 'hint_lag_ms', 'allocates_from', 'max_lines']
    expect(Object.keys(properties)).toEqual([...required, ...added])
  })
})
