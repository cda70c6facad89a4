import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { errorCodes, errorTable } from '../src/contract/errors.ts'
import { Deadline } from '../src/kernel/deadline.ts'
import { type Step, shellOf, type Trigger, triggers, variablesOf } from '../src/pages/errors/triggers.ts'
import {
  adminToken,
  buyers,
  call,
  type House,
  type Loose,
  openHouse,
  type Result,
  signedIn,
  world,
} from './harness.ts'

/** What an error's page tells a reader to do is done here, request by request, and must answer the code. */
let house: House

beforeAll(async () => {
  house = await openHouse()
})
afterAll(() => house.close())
afterEach(() => vi.restoreAllMocks())

let names = 0

/** What a reader has at hand: the printed account, channel and admin token, and a name of one's own. */
async function variablesFor(home: House): Promise<Map<string, string>> {
  const channel = await world(home)
  names += 1
  return new Map([
    ['TOKEN', await signedIn(home, buyers[0])],
    ['ADMIN_TOKEN', adminToken],
    ['CLIENT_ID', channel.client_id],
    ['CLIENT_SECRET', channel.client_secret],
    ['NAME', `trial-${names}`],
  ])
}

/** Every variable of a value replaced; one that nobody set is a mistake of the trigger. */
function filled<T>(value: T, variables: ReadonlyMap<string, string>): T {
  const text = JSON.stringify(value).replace(/\$([A-Z][A-Z_]*)/g, (_whole, name: string) => {
    const known = variables.get(name)
    if (known === undefined) throw new Error(`nobody sets $${name}`)
    return known
  })
  return JSON.parse(text)
}

function send(home: House, step: Step, variables: ReadonlyMap<string, string>): Promise<Result> {
  const { method, path, query, headers, body } = filled({ ...step, body: step.body ?? null }, variables)
  const search = new URLSearchParams(query).toString()
  const raw = body === null ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
  return call(home, method, search === '' ? path : `${path}?${search}`, {
    headers,
    ...(raw === undefined ? {} : { raw }),
  })
}

/** Walks the steps; answers the last response. */
async function walk(home: House, { steps }: Trigger): Promise<Result | undefined> {
  const variables = await variablesFor(home)
  const beside: Promise<Result>[] = []
  let last: Result | undefined
  for (const step of steps) {
    for (let time = 0; time < (step.times ?? 1); time++) {
      const answer = send(home, step, variables)
      if (step.isBackground) beside.push(answer)
      else last = await answer
    }
    for (const [variable, field] of Object.entries(step.keep ?? {})) {
      variables.set(variable, fieldOf(last?.json ?? {}, field))
    }
    if (step.isBackground) await new Promise((resolve) => setTimeout(resolve, 200))
    else if (step.waitSeconds) home.clock.advance(step.waitSeconds * 1000)
  }
  await Promise.all(beside)
  return last
}

/** As `sed` finds it in the text: the last field of that name. */
function fieldOf(json: Loose, field: string): string {
  const [, value] = new RegExp(`.*"${field}":"([^"]*)"`).exec(JSON.stringify(json)) ?? []
  if (value === undefined) throw new Error(`no ${field} in ${JSON.stringify(json)}`)
  return value
}

describe('every error code', () => {
  it.each(errorCodes)('%s is what its trigger answers', async (code) => {
    const trigger = triggers[code]
    // Half a minute of silence is what the reader waits for; the test's clocks may run ahead.
    const real = Deadline.after.bind(Deadline)
    if (code === 'UPSTREAM_TIMEOUT')
      vi.spyOn(Deadline, 'after').mockImplementation((_ms, other) => real(300, other))
    const home =
      trigger.setting === undefined ? house : await openHouse({ settings: settingOf(trigger.setting) })
    try {
      const answer = await walk(home, trigger)
      expect(answer?.json.error?.code, answer?.text).toBe(code)
      expect(answer?.status).toBe(errorTable[code].status)
    } finally {
      if (home !== house) await home.close()
    }
  })

  it.each(errorCodes)('%s: its commands name only what a reader has', (code) => {
    const given = new Set(['TOKEN', 'ADMIN_TOKEN', 'CLIENT_ID', 'CLIENT_SECRET', 'NAME'])
    expect(variablesOf(triggers[code]).filter((name) => !given.has(name))).toEqual([])
    expect(shellOf(triggers[code])).toContain('$BASE/')
  })
})

function settingOf(text: string): Record<string, string> {
  const at = text.indexOf('=')
  return { [text.slice(0, at)]: text.slice(at + 1) }
}
