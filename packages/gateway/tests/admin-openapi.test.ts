/** The operator's endpoints as an OpenAPI document of their own, from which the console's types are generated. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminCatalogue, catalogue } from '../src/catalogue.ts'
import { toRecord } from '../src/kernel/json.ts'
import { openTestGateway, type TestGateway } from './harness.ts'

let house: TestGateway

beforeAll(async () => {
  house = await openTestGateway()
})
afterAll(() => house.close())

async function readDocument(path: string) {
  const response = await fetch(`${house.url}${path}`)
  return { response, document: toRecord(await response.json()) }
}

function listOperations(document: Record<string, unknown>) {
  return Object.values(toRecord(document.paths)).flatMap((item) =>
    Object.values(toRecord(item)).map(toRecord),
  )
}

describe('/admin/openapi.json', () => {
  it('describes every operator’s endpoint and no other, and is served without a token', async () => {
    const { response, document } = await readDocument('/admin/openapi.json')
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'application/json; charset=utf-8',
    ])
    const ids = listOperations(document).map(({ operationId }) => operationId)
    expect(ids.toSorted()).toEqual(adminCatalogue.map(({ id }) => id).toSorted())
    expect(document.security).toEqual([{ 'x-admin-token': [] }])
    const { securitySchemes } = toRecord(document.components)
    expect(securitySchemes).toEqual({
      'x-admin-token': { type: 'apiKey', in: 'header', name: 'x-admin-token' },
    })
  })

  it('names the bodies of every operation after it', async () => {
    const { document } = await readDocument('/admin/openapi.json')
    const create = listOperations(document).find(({ operationId }) => operationId === 'admin.channels.create')
    const success = toRecord(toRecord(create?.responses)[201])
    expect(toRecord(toRecord(success.content)['application/json']).schema).toEqual({
      $ref: '#/components/schemas/AdminChannelsCreateResponse',
    })
    const inline = listOperations(document).flatMap(({ operationId, requestBody, responses }) =>
      [requestBody, ...Object.values(toRecord(responses))]
        .map((body) => toRecord(toRecord(toRecord(toRecord(body).content)['application/json']).schema))
        .filter((schema) => Object.keys(schema).length > 0 && schema.$ref === undefined)
        .map(() => operationId),
    )
    expect(inline).toEqual([])
  })

  it('is in the language of the request', async () => {
    const { response, document } = await readDocument('/admin/openapi.json?lang=ko')
    expect(response.headers.get('content-language')).toBe('ko')
    expect(JSON.stringify(document)).toContain('운영')
  })
})

describe('/openapi.json', () => {
  it('describes the channels’ endpoints alone', async () => {
    const { document } = await readDocument('/openapi.json')
    const ids = listOperations(document).map(({ operationId }) => operationId)
    expect(ids.toSorted()).toEqual(['mcp', ...catalogue.map(({ id }) => id)].toSorted())
    expect(JSON.stringify(document)).not.toContain('x-admin-token')
  })
})
