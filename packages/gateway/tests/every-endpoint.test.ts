import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { capabilitiesOfPlan } from '../src/access/plans.ts'
import { adminCatalogue, catalogue, endpointIdOf } from '../src/catalogue.ts'
import type { Endpoint } from '../src/contract/endpoint.ts'
import { errorCodes } from '../src/contract/errors.ts'
import { languages } from '../src/contract/language.ts'
import { texts } from '../src/contract/texts/texts.ts'
import { adminToken, call, type House, openHouse, signedIn, world } from './harness.ts'

/**
 * Walks the catalogue: what must hold of every endpoint, today's and tomorrow's. A new endpoint needs no line here.
 */
let house: House

beforeAll(async () => {
  house = await openHouse({ settings: { RATE_LIMIT_POINTS: '1000000' } })
})
afterAll(() => house.close())

const samples: Readonly<Record<string, string>> = {
  warehouse_code: 'AUSYD1',
  product_code: 'SBX',
  code: 'NOT_FOUND',
}

/** The endpoint's path with values that fit; a document id is one that does not exist. */
function pathOf({ path }: Endpoint, values: Readonly<Record<string, string>> = samples): string {
  return path.replace(
    /\{(\w+)\}/g,
    (_whole, name: string) => values[name] ?? 'unknown_00000000000000000000000000',
  )
}

const body = (endpoint: Endpoint) => (endpoint.body ? { body: endpoint.example ?? {} } : {})
const all = [...catalogue, ...adminCatalogue]
const protectedOnes = catalogue.filter(({ access }) => access === 'bearer')
const named = (endpoints: readonly Endpoint[]) =>
  endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const)

describe.each(named(protectedOnes))('%s', (_name, endpoint) => {
  it('wants a token', async () => {
    const answer = await call(house, endpoint.method, pathOf(endpoint), body(endpoint))
    expect(answer.json.error.code).toBe('AUTH_MISSING_TOKEN')
    expect(answer.headers.get('www-authenticate')).toContain('Bearer')
  })

  it('refuses a token that is not ours', async () => {
    const answer = await call(house, endpoint.method, pathOf(endpoint), {
      token: 'not-a-token',
      ...body(endpoint),
    })
    expect(answer.json.error.code).toBe('AUTH_INVALID_TOKEN')
  })

  it('tells what a call costs and what is left', async () => {
    const { token } = await world(house, { points_per_minute: 500 })
    const { headers } = await call(house, endpoint.method, pathOf(endpoint), { token, ...body(endpoint) })
    const cost = Number(headers.get('ratelimit-cost'))
    expect(headers.get('ratelimit-limit')).toBe('500')
    expect(Number(headers.get('ratelimit-remaining'))).toBe(500 - cost)
    expect(headers.get('ratelimit-policy')).toBe('"default";q=500;w=60')
    expect(headers.get('ratelimit')).toBe(`"default";r=${500 - cost};t=${headers.get('ratelimit-reset')}`)
  })
})

describe.each(named(protectedOnes.filter(({ capability }) => capability)))('%s', (_name, endpoint) => {
  it('wants its capability, before it looks at anything else', async () => {
    const token = await without(endpoint)
    const answer = await call(
      house,
      endpoint.method,
      `${pathOf(endpoint, { warehouse_code: 'NOWHERE' })}?nonsense=1`,
      {
        token,
        ...body(endpoint),
      },
    )
    expect(answer.json.error).toMatchObject({
      code: 'SCOPE_DENIED',
      required_capability: endpoint.capability,
    })
  })
})

/** A token whose caller lacks the endpoint's capability: a smaller plan, or an account that the ERP narrows. */
async function without({ capability }: Endpoint): Promise<string> {
  const plan = (['reader', 'trader'] as const).find(
    (each) => capability && !capabilitiesOfPlan[each].includes(capability),
  )
  if (plan) return (await world(house, { plan })).token
  return narrowedToken()
}

async function narrowedToken(): Promise<string> {
  const token = await signedIn(house)
  const { db } = house.gateway.store
  await db
    .updateTable('sessions')
    .set({ capabilities: '["webhooks.manage"]' })
    .where('grant_type', '=', 'password')
    .execute()
  house.gateway.sessions.forget()
  return token
}

describe.each(named(protectedOnes.filter(({ params }) => 'warehouse_code' in params)))(
  '%s',
  (_name, endpoint) => {
    it('knows its warehouses and keeps to the allowlist', async () => {
      const { token } = await world(house, { warehouse_allowlist: ['CHNZJ1'] })
      const get = (warehouse_code: string) =>
        call(house, endpoint.method, pathOf(endpoint, { ...samples, warehouse_code }), { token })
      expect((await get('NOWHERE')).json.error.code).toBe('WAREHOUSE_UNKNOWN')
      expect((await get('AUSYD1')).json.error.code).toBe('WAREHOUSE_DENIED')
      expect((await get('CN')).json.error.code).toBe('WAREHOUSE_DENIED')
      expect((await get('CHNZJ1')).status).toBeLessThan(300)
    })
  },
)

describe.each(named(protectedOnes.filter(({ oms }) => oms)))('%s', (_name, endpoint) => {
  it('wants the token of an OMS account', async () => {
    const { token } = await world(house)
    const answer = await call(house, endpoint.method, pathOf(endpoint), { token, ...body(endpoint) })
    expect(answer.json.error.code).toBe('OMS_LOGIN_REQUIRED')
  })
})

describe.each(named(all.filter(({ bodyKind }) => bodyKind !== 'oauth')))('%s', (_name, endpoint) => {
  const credentials = async () =>
    endpoint.access === 'admin'
      ? { admin: adminToken }
      : endpoint.access === 'bearer'
        ? { token: endpoint.oms ? await signedIn(house) : (await world(house)).token }
        : {}

  it('refuses an unknown query parameter by name, and costs nothing for it', async () => {
    const answer = await call(house, endpoint.method, `${pathOf(endpoint)}?nonsense=1`, {
      ...(await credentials()),
      ...body(endpoint),
    })
    expect(answer.json.error.code).toBe('VALIDATION_FAILED')
    const named = answer.json.error.errors.map((each: { param: string }) => each.param)
    expect(named).toContain('nonsense')
    if (endpoint.access === 'bearer') expect(answer.headers.get('ratelimit-cost')).toBe('0')
  })

  if (endpoint.body) {
    it('refuses an unknown body field by name', async () => {
      const init = { ...(await credentials()), body: { ...endpoint.example, nonsense: 1 } }
      const { json } = await call(house, endpoint.method, pathOf(endpoint), init)
      expect(json.error.code).toBe('VALIDATION_FAILED')
      expect(json.error.errors.map((each: { param: string }) => each.param)).toContain('nonsense')
    })
  }

  if (/_id\}/.test(endpoint.path)) {
    it('answers NOT_FOUND for a document that does not exist', async () => {
      const answer = await call(house, endpoint.method, pathOf(endpoint), {
        ...(await credentials()),
        ...body(endpoint),
      })
      expect(answer.json.error.code).toBe('NOT_FOUND')
    })
  }

  it('refuses another method with the allowed ones', async () => {
    const answer = await call(house, 'OPTIONS', pathOf(endpoint), await credentials())
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')?.split(', ')).toContain(endpoint.method)
  })
})

describe.each(named(adminCatalogue))('%s', (_name, endpoint) => {
  it('wants the admin token and takes no other', async () => {
    const { token } = await world(house)
    for (const init of [{}, { token }, { admin: 'wrong' }, { admin: '' }]) {
      const answer = await call(house, endpoint.method, pathOf(endpoint), { ...init, ...body(endpoint) })
      expect(answer.json.error.code).toBe('ADMIN_UNAUTHORIZED')
    }
  })
})

describe('the catalogue', () => {
  it('has a unique id, method and path for each endpoint, and a text in every language', () => {
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
    expect(new Set(all.map(({ method, path }) => `${method} ${path}`)).size).toBe(all.length)
    for (const endpoint of all) {
      for (const language of languages) {
        const { summary, description } = texts[language].endpoints[endpointIdOf(endpoint)]
        expect(summary.length, `${endpoint.id} in ${language}`).toBeGreaterThan(1)
        expect(description.length, `${endpoint.id} in ${language}`).toBeGreaterThan(1)
      }
    }
  })

  it('spells paths in kebab-case plural nouns and parameters in snake_case', () => {
    for (const { path, params, query } of catalogue) {
      expect(path).toMatch(/^\/api\/v1(\/[a-z][a-z-]*|\/\{[a-z][a-z_]*\})+$/)
      for (const name of [...Object.keys(params), ...Object.keys(query)])
        expect(name).toMatch(/^[a-z][a-z_]*$/)
    }
  })
})

describe('the error catalogue', () => {
  it('describes all 28 codes in three languages, as JSON, page and Markdown', async () => {
    expect(errorCodes).toHaveLength(28)
    for (const language of languages) {
      const { json } = await call(house, 'GET', '/api/v1/errors', {
        headers: { 'accept-language': language },
      })
      expect(json.data.map((each: { code: string }) => each.code)).toEqual(errorCodes)
      for (const entry of json.data) {
        expect(entry.doc_url).toBe(`/errors/${entry.code}`)
        const page = await call(house, 'GET', `${entry.doc_url}?lang=${language}`, {
          headers: { accept: 'text/html' },
        })
        expect(page.status).toBe(200)
        expect(page.headers.get('content-language')).toBe(language)
        expect(page.text).toContain(`<html lang="${language}">`)
        const markdown = await call(house, 'GET', `${entry.doc_url}.md?lang=${language}`)
        expect(markdown.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
        expect(markdown.text).toContain(entry.hint)
        const negotiated = await call(house, 'GET', `${entry.doc_url}?lang=${language}`, {
          headers: { accept: 'text/markdown' },
        })
        expect(negotiated.text).toBe(markdown.text)
      }
    }
  })

  it('answers one code, and NOT_FOUND for what is none', async () => {
    expect((await call(house, 'GET', '/api/v1/errors/RATE_LIMITED')).json.data.http_status).toBe(429)
    expect((await call(house, 'GET', '/api/v1/errors/NONSENSE')).json.error.code).toBe('NOT_FOUND')
  })
})
