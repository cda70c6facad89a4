/** The recorded examples are what a sandbox returns, and each request and response is valid against its schema. */

import { beforeAll, describe, expect, it } from 'vitest'
import { catalogue, sandboxCatalogue } from '../src/catalogue.ts'
import { exampleOf, type RecordedExample } from '../src/projections/examples.ts'
import { recordExamples } from './examples/record.ts'

let recorded: readonly RecordedExample[]

beforeAll(async () => {
  recorded = await recordExamples()
})

describe('the recorded examples', () => {
  it('are those of `npm run examples`', () => {
    expect(recorded).toEqual(recorded.map(({ endpoint }) => exampleOf(endpoint)))
  })

  it('name no secret', () => {
    expect(JSON.stringify(recorded)).not.toMatch(/eyJ|whsec_|right-password/)
  })
})

const documented = [...catalogue, ...sandboxCatalogue].filter(
  ({ id }) => !id.startsWith('sandbox.') || exampleOf(id),
)

describe.each(documented.map((endpoint) => [endpoint.id, endpoint] as const))('%s', (id, endpoint) => {
  it('has an example that is a success and valid against the schemas', () => {
    const example = exampleOf(id)
    expect(example?.response.status).toBe(endpoint.status ?? 200)
    const { params, query = {}, body } = example?.request ?? {}
    expect(Object.keys(params ?? {})).toEqual(Object.keys(endpoint.params))
    for (const [name, value] of Object.entries(query)) {
      expect(endpoint.query).toHaveProperty(name)
      expect(endpoint.query[name] && Object(endpoint.query[name]).safeParse(value).success).toBe(true)
    }
    if (body !== undefined) expect(endpoint.body?.strict().safeParse(body).error).toBeUndefined()
    else expect(endpoint.body === undefined || endpoint.optionalBody).toBe(true)
    expect(endpoint.result.safeParse(example?.response.body).error).toBeUndefined()
  })
})
