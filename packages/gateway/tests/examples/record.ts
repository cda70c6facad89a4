/**
 * Records the examples: walks the journey on a fresh sandbox whose clock and ids are the same in each run, and keeps
 * the first call of each endpoint with its response.
 */

import { catalogue, sandboxCatalogue } from '../../src/catalogue.ts'
import type { Endpoint } from '../../src/endpoint.ts'
import type { RecordedExample } from '../../src/projections/examples.ts'
import { journey } from '../../src/projections/journey/journey.ts'
import { fillVariables, givenVariables, readPlace, type Step } from '../../src/projections/journey/step.ts'
import { storeRequests } from '../../src/requests/record.ts'
import { type CallResult, call, openTestGateway, signInBuyer, type TestGateway } from '../harness.ts'
import { deliverDue } from '../receiver.ts'
import { createRepeatableIds } from './repeatable-ids.ts'
import { serveSandboxControls } from './sandbox-server.ts'

/** Enough styles to have the SKU of the journey. */
const styles = 160
/** A list in an example has its first items only. */
const maxItems = 2
const stepMs = 1_000
const endpoints = new Map([...catalogue, ...sandboxCatalogue].map((endpoint) => [endpoint.id, endpoint]))

const buyer = {
  username: givenVariables.username,
  password: 'right-password-1',
  customer_code: 'CUST-HARBOUR',
}

/** Walks the whole journey. Throws at the first response that is no success. */
export async function recordExamples(): Promise<RecordedExample[]> {
  const house = await openTestGateway({
    ids: createRepeatableIds(),
    isEmbedded: true,
    styles,
    accounts: [buyer],
    settings: { BASE_URL: givenVariables.base_url },
  })
  const controls = await serveSandboxControls(house)
  try {
    await signInBuyer(house, buyer)
    const variables: Record<string, string> = { ...givenVariables, password: buyer.password }
    const examples = new Map<string, RecordedExample>()
    for (const step of journey) {
      const example = await runStep(house, step, variables)
      if (!examples.has(step.endpoint)) examples.set(step.endpoint, example)
    }
    return [...examples.values()]
  } finally {
    controls.close()
    await house.close()
  }
}

async function runStep(house: TestGateway, step: Step, variables: Record<string, string>) {
  const request = buildRequest(step, variables)
  const { method, path, query, headers, body } = request
  const search = query ? `?${new URLSearchParams(query)}` : ''
  house.clock.advance(stepMs)
  const { access_token } = variables
  const result = await call(house, method, `${path}${search}`, {
    ...(access_token === undefined ? {} : { token: access_token }),
    ...(headers ? { headers } : {}),
    ...(body === undefined ? {} : { body }),
  })
  if (result.status >= 300) throw new Error(`${step.endpoint} → ${result.status} ${result.text}`)
  keepValues(step, result, variables)
  await runWorkers(house)
  const response = { status: result.status, body: toShown(result.json) }
  return { endpoint: step.endpoint, request: toShownRequest(request), response }
}

function buildRequest(step: Step, variables: Readonly<Record<string, string>>): RecordedExample['request'] {
  const { method, path, params } = requireEndpoint(step.endpoint)
  const names = Object.keys(params)
  const values = Object.fromEntries(names.map((name) => [name, step.params?.[name] ?? `{{${name}}}`]))
  const filled = fillVariables(values, variables)
  return {
    method,
    path: path.replace(/\{(\w+)\}/g, (_whole, name: string) => filled[name] ?? ''),
    ...(names.length > 0 ? { params: filled } : {}),
    ...(step.query ? { query: fillVariables(step.query, variables) } : {}),
    ...(step.headers ? { headers: fillVariables(step.headers, variables) } : {}),
    ...(step.body === undefined ? {} : { body: fillVariables(step.body, variables) }),
  }
}

function requireEndpoint(id: string): Endpoint {
  const endpoint = endpoints.get(id)
  if (!endpoint) throw new Error(`There is no endpoint ${id}.`)
  return endpoint
}

function keepValues({ endpoint, keep = {} }: Step, { json }: CallResult, variables: Record<string, string>) {
  for (const [name, place] of Object.entries(keep)) {
    const value = readPlace(json, place)
    if (value === undefined || value === null) throw new Error(`${endpoint} has no ${place}.`)
    variables[name] = String(value)
  }
}

async function runWorkers(house: TestGateway) {
  await house.settle()
  await deliverDue(house)
  await storeRequests(house.gateway)
}

function toShownRequest(request: RecordedExample['request']): RecordedExample['request'] {
  return request.body === undefined ? request : { ...request, body: toShown(request.body) }
}

/** Cuts the lists of objects, and replaces secrets and sealed cursors, which differ in each run. */
function toShown(value: unknown): unknown {
  const text = JSON.stringify(value, (name, each: unknown) => {
    if (replacedNames.has(name) && typeof each === 'string') return `<${name}>`
    return Array.isArray(each) && typeof each[0] === 'object' ? each.slice(0, maxItems) : each
  })
  return JSON.parse(text)
}

const replacedNames = new Set(['password', 'client_secret', 'access_token', 'secret', 'next_cursor'])
