import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { operationIds } from './erp.ts'
import { capabilities, operations, rejectionReasons } from './operations.ts'

const readme = readFileSync(fileURLToPath(new URL('../README.md', import.meta.url)), 'utf8')

describe('the README', () => {
  it.each(operationIds)('has a line for the operation %s', (id) => {
    expect(readme).toContain(`\n| \`${id}\` | `)
  })

  it('has no line for an unknown operation', () => {
    const section = readme.split('## Operations')[1]?.split('\n## ')[0] ?? ''
    const named = [...section.matchAll(/^\| `([^`]+)`/gm)].map(([, id]) => id)
    expect(named).toEqual(Object.keys(operations))
  })

  it.each([...Object.keys(capabilities.shape), ...rejectionReasons])('explains `%s`', (name) => {
    expect(readme).toContain(`\`${name}\``)
  })
})
