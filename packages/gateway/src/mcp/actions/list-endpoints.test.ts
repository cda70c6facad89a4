import { expect, it } from 'vitest'
import { listEndpoints } from './list-endpoints.ts'

type Args = Parameters<typeof listEndpoints.run>

/** Lists the endpoints of a group with their schemas, for a caller of a language. */
async function listSchemas(group: string, language: string) {
  const switches = { wholesale: true, dropship: true, webhooks: true }
  const caller = { capabilities: new Set(), grant_type: 'password', switches }
  const context = { call: { language }, caller } as unknown as Args[0]
  const { data } = await listEndpoints.run(context, { group, detail: 'schema' })
  return data.endpoints.flatMap(({ schema }) => schema ?? [])
}

it('builds the schema of an endpoint once, whoever asks in whatever language', async () => {
  for (const group of ['orders', 'webhook_endpoints']) {
    const first = await listSchemas(group, 'en')
    expect(new Set(first).size, 'the number of different schemas').toBe(5)
    for (const language of ['en', 'zh', 'ko']) {
      const again = await listSchemas(group, language)
      for (const [at, schema] of again.entries()) expect(schema, `${group} ${at}`).toBe(first[at])
    }
  }
})
