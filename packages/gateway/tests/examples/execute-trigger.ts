import type { Step, Trigger } from '../../src/pages/errors/triggers.ts'
import {
  adminToken,
  buyers,
  type CallResult,
  call,
  createWorld,
  type LooseJson,
  signInBuyer,
  type TestGateway,
} from '../harness.ts'

let names = 0

/** A response, with the token of its request if that had one. */
interface ReadersResult extends CallResult {
  readonly token: string | undefined
}

/** Executes the requests that reproduce an error code, as a reader of its page does. Returns the last response. */
export async function executeTrigger(
  home: TestGateway,
  { steps }: Trigger,
  language = 'en',
): Promise<ReadersResult | undefined> {
  const variables = await collectVariables(home)
  const beside: Promise<CallResult>[] = []
  let last: ReadersResult | undefined
  for (const step of steps) {
    for (let time = 0; time < (step.times ?? 1); time++) {
      const answer = sendStep(home, step, { variables, language })
      if (step.isBackground) beside.push(answer)
      else last = await answer
    }
    for (const [variable, field] of Object.entries(step.keep ?? {})) {
      variables.set(variable, readField(last?.json ?? {}, field))
    }
    if (step.isBackground) await new Promise((resolve) => setTimeout(resolve, 200))
    else if (step.waitSeconds) home.clock.advance(step.waitSeconds * 1000)
  }
  await Promise.all(beside)
  return last
}

/** Collects what a reader of the page has: the printed account, channel and admin token, and a unique name. */
async function collectVariables(home: TestGateway): Promise<Map<string, string>> {
  const channel = await createWorld(home)
  names += 1
  return new Map([
    ['TOKEN', await signInBuyer(home, buyers[0])],
    ['ADMIN_TOKEN', adminToken],
    ['CLIENT_ID', channel.client_id],
    ['CLIENT_SECRET', channel.client_secret],
    ['NAME', `trial-${names}`],
  ])
}

/** Replaces the variables in a value. Throws if a variable is not set. */
function fillVariables<T>(value: T, variables: ReadonlyMap<string, string>): T {
  const text = JSON.stringify(value).replace(/\$([A-Z][A-Z_]*)/g, (_whole, name: string) => {
    const known = variables.get(name)
    if (known === undefined) throw new Error(`nobody sets $${name}`)
    return known
  })
  return JSON.parse(text)
}

interface Reader {
  readonly variables: ReadonlyMap<string, string>
  readonly language: string
}

async function sendStep(
  home: TestGateway,
  step: Step,
  { variables, language }: Reader,
): Promise<ReadersResult> {
  const { method, path, query, headers, body } = fillVariables(
    { ...step, body: step.body ?? null },
    variables,
  )
  const search = new URLSearchParams(query).toString()
  const raw = body === null ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
  const result = await call(home, method, search === '' ? path : `${path}?${search}`, {
    headers: { 'Accept-Language': language, ...headers },
    ...(raw === undefined ? {} : { raw }),
  })
  return { ...result, token: headers.Authorization?.replace(/^Bearer /, '') }
}

/** Reads a field as the page's `sed` command does: the last occurrence of the field. */
function readField(json: LooseJson, field: string): string {
  const [, value] = new RegExp(`.*"${field}":"([^"]*)"`).exec(JSON.stringify(json)) ?? []
  if (value === undefined) throw new Error(`no ${field} in ${JSON.stringify(json)}`)
  return value
}

/** Reads the setting that a trigger requires. */
export function parseSetting(text: string): Record<string, string> {
  const at = text.indexOf('=')
  return { [text.slice(0, at)]: text.slice(at + 1) }
}
