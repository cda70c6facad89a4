/** The collections and AsyncAPI in `contract` are current, and cover every endpoint and event. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { catalogue } from '../src/catalogue.ts'
import { eventTypes } from '../src/events/outbox.ts'
import { toRecord } from '../src/kernel/json.ts'
import { buildAsyncApi, serializeAsyncApi } from '../src/projections/asyncapi.ts'
import { buildBrunoFiles } from '../src/projections/collections/bruno.ts'
import { buildPostmanCollection } from '../src/projections/collections/postman.ts'
import { journey } from '../src/projections/journey/journey.ts'
import { buildOpenApi, defaultServer, serializeOpenApi } from '../src/projections/openapi.ts'

const contract = join(import.meta.dirname, '../../../contract')
const read = (name: string) => readFileSync(join(contract, name), 'utf8')

describe('the files of contract', () => {
  it('are current (npm run contract)', () => {
    expect(read('asyncapi.json')).toBe(serializeAsyncApi())
    expect(JSON.parse(read('postman.json'))).toEqual(buildPostmanCollection(defaultServer))
    const files = [...buildBrunoFiles(defaultServer)]
    expect(files.map(([name]) => [name, read(`bruno/${name}`)])).toEqual(files)
    const present = readdirSync(join(contract, 'bruno'), { recursive: true, encoding: 'utf8' })
    expect(present.filter((name) => /\.\w+$/.test(name))).toHaveLength(files.length)
  })
})

describe('the collections', () => {
  it('call every endpoint of the contract', () => {
    const called = new Set(journey.map(({ endpoint }) => endpoint))
    expect(catalogue.map(({ id }) => id).filter((id) => !called.has(id))).toEqual([])
  })

  it('use no value before a call has kept it', () => {
    const known = new Set(['base_url', 'username', 'password', 'run', 'tries'])
    const unknown = journey.flatMap(({ endpoint, keep = {}, ...sent }) => {
      const used = [...JSON.stringify(sent).matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name)
      const early = used.filter((name) => !known.has(name)).map((name) => `${endpoint}: ${name}`)
      for (const name of Object.keys(keep)) known.add(name)
      return early
    })
    expect(unknown).toEqual([])
  })
})

describe('AsyncAPI', () => {
  const document = toRecord(buildAsyncApi())

  it('has a channel, a message and an operation for each event', () => {
    const { channels, operations, components } = document
    expect(Object.keys(toRecord(channels))).toEqual([...eventTypes])
    expect(Object.keys(toRecord(operations))).toEqual(eventTypes.map((type) => `send.${type}`))
    expect(Object.keys(toRecord(toRecord(components).messages))).toEqual([...eventTypes])
  })

  it('refers to nothing that it does not have', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)]
    expect(references.length).toBeGreaterThan(0)
    const missing = references.filter(
      ([, path = '']) =>
        path.split('/').reduce<unknown>((found, name) => toRecord(found)[name], document) === undefined,
    )
    expect(missing).toEqual([])
  })
})

describe('OpenAPI', () => {
  it('names the address of the gateway that serves it', () => {
    const served = JSON.parse(serializeOpenApi('en', 'https://trade.example'))
    expect(served.servers).toEqual([{ url: 'https://trade.example' }])
  })

  it('has names for all bodies of endpoints, their examples and the security of each', () => {
    const operations = Object.entries(toRecord(buildOpenApi().paths))
      .filter(([path]) => path !== '/mcp')
      .flatMap(([, item]) => Object.values(toRecord(item)).map(toRecord))
    const lacking = operations.filter(({ security, requestBody, responses }) => {
      const success = Object.entries(toRecord(responses)).find(([status]) => status.startsWith('2'))?.[1]
      const readJson = (body: unknown) => toRecord(toRecord(toRecord(body).content)['application/json'])
      const bodies = [success, ...(requestBody === undefined ? [] : [requestBody])].map(readJson)
      return !security || bodies.some((body) => !toRecord(body.schema).$ref || body.example === undefined)
    })
    expect(operations).toHaveLength(catalogue.length)
    expect(lacking.map(({ operationId }) => operationId)).toEqual([])
  })
})
