/** Checks the rules that hold for every endpoint of the catalogue. A new endpoint needs no change here. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminCatalogue, catalogue } from '../src/catalogue.ts'
import { errorCodes } from '../src/contract/error-table.ts'
import { languages } from '../src/contract/language.ts'
import { chooseTexts, type Endpoint } from '../src/endpoint.ts'
import { capabilitiesOfPlan } from '../src/identity/plans.ts'
import { adminToken, call, createWorld, openTestGateway, signInBuyer, type TestGateway } from './harness.ts'

let house: TestGateway

beforeAll(async () => {
  house = await openTestGateway({ settings: { RATE_LIMIT_POINTS: '1000000' } })
})
afterAll(() => house.close())

const samples: Readonly<Record<string, string>> = {
  warehouse_code: 'AUSYD1',
  product_code: 'SBX',
  code: 'NOT_FOUND',
}

/** Fills the endpoint's path with valid values. Ids of documents are valid but belong to no document. */
function fillPath({ path }: Endpoint, values: Readonly<Record<string, string>> = samples): string {
  return path.replace(
    /\{(\w+)\}/g,
    (_whole, name: string) => values[name] ?? 'unknown_00000000000000000000000000',
  )
}

const buildBody = (endpoint: Endpoint) => (endpoint.body ? { body: endpoint.example ?? {} } : {})
const all = [...catalogue, ...adminCatalogue]
const protectedOnes = catalogue.filter(({ access }) => access === 'bearer')
const pairWithNames = (endpoints: readonly Endpoint[]) =>
  endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const)

describe.each(pairWithNames(protectedOnes))('%s', (_name, endpoint) => {
  it('wants a token', async () => {
    const answer = await call(house, endpoint.method, fillPath(endpoint), buildBody(endpoint))
    expect(answer.json.error.code).toBe('AUTH_MISSING_TOKEN')
    expect(answer.headers.get('www-authenticate')).toContain('Bearer')
  })

  it('refuses a token that is not ours', async () => {
    const answer = await call(house, endpoint.method, fillPath(endpoint), {
      token: 'not-a-token',
      ...buildBody(endpoint),
    })
    expect(answer.json.error.code).toBe('AUTH_INVALID_TOKEN')
  })

  it('tells what a call costs and what is left', async () => {
    const { token } = await createWorld(house, { points_per_minute: 500 })
    const { headers } = await call(house, endpoint.method, fillPath(endpoint), {
      token,
      ...buildBody(endpoint),
    })
    const cost = Number(headers.get('ratelimit-cost'))
    expect(headers.get('ratelimit-limit')).toBe('500')
    expect(Number(headers.get('ratelimit-remaining'))).toBe(500 - cost)
    expect(headers.get('ratelimit-policy')).toBe('"default";q=500;w=60')
    expect(headers.get('ratelimit')).toBe(`"default";r=${500 - cost};t=${headers.get('ratelimit-reset')}`)
  })
})

describe.each(pairWithNames(protectedOnes.filter(({ capability }) => capability)))(
  '%s',
  (_name, endpoint) => {
    it('wants its capability, before it looks at anything else', async () => {
      const token = await createTokenWithout(endpoint)
      const answer = await call(
        house,
        endpoint.method,
        `${fillPath(endpoint, { warehouse_code: 'NOWHERE' })}?nonsense=1`,
        {
          token,
          ...buildBody(endpoint),
        },
      )
      expect(answer.json.error).toMatchObject({
        code: 'SCOPE_DENIED',
        required_capability: endpoint.capability,
      })
    })
  },
)

/** Creates a token that lacks the endpoint's capability, because its plan is smaller or the ERP limits its account. */
async function createTokenWithout({ capability }: Endpoint): Promise<string> {
  const plan = (['reader', 'trader'] as const).find(
    (each) => capability && !capabilitiesOfPlan[each].includes(capability),
  )
  if (plan) return (await createWorld(house, { plan })).token
  return createNarrowedToken()
}

async function createNarrowedToken(): Promise<string> {
  const token = await signInBuyer(house)
  const { db } = house.gateway.store
  await db
    .updateTable('sessions')
    .set({ capabilities: '["webhooks.manage"]' })
    .where('grant_type', '=', 'password')
    .execute()
  house.gateway.sessions.forget()
  return token
}

describe.each(pairWithNames(protectedOnes.filter(({ params }) => 'warehouse_code' in params)))(
  '%s',
  (_name, endpoint) => {
    it('knows its warehouses and keeps to the allowlist', async () => {
      const { token } = await createWorld(house, { warehouse_allowlist: ['CHNZJ1'] })
      const readWarehouse = (warehouse_code: string) =>
        call(house, endpoint.method, fillPath(endpoint, { ...samples, warehouse_code }), { token })
      expect((await readWarehouse('NOWHERE')).json.error.code).toBe('WAREHOUSE_UNKNOWN')
      expect((await readWarehouse('AUSYD1')).json.error.code).toBe('WAREHOUSE_DENIED')
      expect((await readWarehouse('CN')).json.error.code).toBe('WAREHOUSE_DENIED')
      expect((await readWarehouse('CHNZJ1')).status).toBeLessThan(300)
    })
  },
)

describe.each(pairWithNames(protectedOnes.filter(({ oms }) => oms)))('%s', (_name, endpoint) => {
  it('wants the token of an OMS account', async () => {
    const { token } = await createWorld(house)
    const answer = await call(house, endpoint.method, fillPath(endpoint), { token, ...buildBody(endpoint) })
    expect(answer.json.error.code).toBe('OMS_LOGIN_REQUIRED')
  })
})

describe.each(pairWithNames(all.filter(({ bodyKind }) => bodyKind !== 'oauth')))('%s', (_name, endpoint) => {
  const createCredentials = async () =>
    endpoint.access === 'admin'
      ? { admin: adminToken }
      : endpoint.access === 'bearer'
        ? { token: endpoint.oms ? await signInBuyer(house) : (await createWorld(house)).token }
        : {}

  it('refuses an unknown query parameter by name, for a refusal’s point at most', async () => {
    const answer = await call(house, endpoint.method, `${fillPath(endpoint)}?nonsense=1`, {
      ...(await createCredentials()),
      ...buildBody(endpoint),
    })
    expect(answer.json.error.code).toBe('VALIDATION_FAILED')
    const named = answer.json.error.errors.map((each: { param: string }) => each.param)
    expect(named).toContain('nonsense')
    if (endpoint.access === 'bearer')
      expect(Number(answer.headers.get('ratelimit-cost'))).toBeLessThanOrEqual(1)
  })

  if (!['GET', 'DELETE'].includes(endpoint.method)) {
    it('refuses an unknown body field by name, also where it takes no body', async () => {
      const init = { ...(await createCredentials()), body: { ...endpoint.example, nonsense: 1 } }
      const { json } = await call(house, endpoint.method, fillPath(endpoint), init)
      expect(json.error.code).toBe('VALIDATION_FAILED')
      expect(json.error.errors.map((each: { param: string }) => each.param)).toContain('nonsense')
    })
  }

  if (/_id\}/.test(endpoint.path)) {
    it('answers NOT_FOUND for a document that does not exist', async () => {
      const answer = await call(house, endpoint.method, fillPath(endpoint), {
        ...(await createCredentials()),
        ...buildBody(endpoint),
      })
      expect(answer.json.error.code).toBe('NOT_FOUND')
    })
  }

  it('refuses another method with the allowed ones', async () => {
    const answer = await call(house, 'OPTIONS', fillPath(endpoint), await createCredentials())
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')?.split(', ')).toContain(endpoint.method)
  })
})

describe.each(pairWithNames(adminCatalogue))('%s', (_name, endpoint) => {
  it('wants the admin token and takes no other', async () => {
    // Wrong tokens are limited per minute, so each endpoint is tested in a new minute.
    house.clock.advance(61_000)
    const { token } = await createWorld(house)
    for (const init of [{}, { token }, { admin: 'wrong' }, { admin: '' }]) {
      const answer = await call(house, endpoint.method, fillPath(endpoint), {
        ...init,
        ...buildBody(endpoint),
      })
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
        const { summary, description } = chooseTexts(endpoint, language)
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
