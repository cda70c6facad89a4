/**
 * The documentation page of each error shows requests that reproduce it. These tests execute them: the last response
 * must have the error's code.
 */

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { errorCodes, errorTable } from '../src/contract/error-table.ts'
import { Deadline } from '../src/kernel/deadline.ts'
import {
  listVariables,
  type Step,
  type Trigger,
  toShellScript,
  triggers,
} from '../src/pages/errors/triggers.ts'
import {
  adminToken,
  buyers,
  type CallResult,
  call,
  createWorld,
  type LooseJson,
  openTestGateway,
  signInBuyer,
  type TestGateway,
} from './harness.ts'

let house: TestGateway

beforeAll(async () => {
  house = await openTestGateway()
})
afterAll(() => house.close())
afterEach(() => vi.restoreAllMocks())

let names = 0

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

function sendStep(
  home: TestGateway,
  step: Step,
  variables: ReadonlyMap<string, string>,
): Promise<CallResult> {
  const { method, path, query, headers, body } = fillVariables(
    { ...step, body: step.body ?? null },
    variables,
  )
  const search = new URLSearchParams(query).toString()
  const raw = body === null ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
  return call(home, method, search === '' ? path : `${path}?${search}`, {
    headers,
    ...(raw === undefined ? {} : { raw }),
  })
}

/** Executes the steps and returns the last response. */
async function executeSteps(home: TestGateway, { steps }: Trigger): Promise<CallResult | undefined> {
  const variables = await collectVariables(home)
  const beside: Promise<CallResult>[] = []
  let last: CallResult | undefined
  for (const step of steps) {
    for (let time = 0; time < (step.times ?? 1); time++) {
      const answer = sendStep(home, step, variables)
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

/** Reads a field as the page's `sed` command does: the last occurrence of the field. */
function readField(json: LooseJson, field: string): string {
  const [, value] = new RegExp(`.*"${field}":"([^"]*)"`).exec(JSON.stringify(json)) ?? []
  if (value === undefined) throw new Error(`no ${field} in ${JSON.stringify(json)}`)
  return value
}

describe('every error code', () => {
  it.each(errorCodes)('%s is what its trigger answers', async (code) => {
    const trigger = triggers[code]
    // A reader would wait for half a minute; the test shortens the time limit instead.
    const real = Deadline.after.bind(Deadline)
    if (code === 'UPSTREAM_TIMEOUT')
      vi.spyOn(Deadline, 'after').mockImplementation((_ms, other) => real(300, other))
    const home =
      trigger.setting === undefined
        ? house
        : await openTestGateway({ settings: parseSetting(trigger.setting) })
    try {
      const answer = await executeSteps(home, trigger)
      expect(answer?.json.error?.code, answer?.text).toBe(code)
      expect(answer?.status).toBe(errorTable[code].status)
    } finally {
      if (home !== house) await home.close()
    }
  })

  it.each(errorCodes)('%s: its commands name only what a reader has', (code) => {
    const given = new Set(['TOKEN', 'ADMIN_TOKEN', 'CLIENT_ID', 'CLIENT_SECRET', 'NAME'])
    expect(listVariables(triggers[code]).filter((name) => !given.has(name))).toEqual([])
    expect(toShellScript(triggers[code])).toContain('$BASE/')
  })
})

function parseSetting(text: string): Record<string, string> {
  const at = text.indexOf('=')
  return { [text.slice(0, at)]: text.slice(at + 1) }
}
