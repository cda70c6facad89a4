/**
 * The documentation page of each error shows requests that reproduce it. These tests execute them: the last response
 * must have the error's code, and be the one that `npm run examples` recorded.
 */

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { errorCodes, errorTable } from '../src/contract/error-table.ts'
import { errorBody } from '../src/contract/fields.ts'
import { languages } from '../src/contract/language.ts'
import { texts } from '../src/contract/texts/texts.ts'
import { Deadline } from '../src/kernel/deadline.ts'
import { listVariables, toShellScript, triggers } from '../src/pages/errors/triggers.ts'
import { errorExampleOf } from '../src/projections/error-examples.ts'
import { executeTrigger, parseSetting } from './examples/execute-trigger.ts'
import { openTestGateway, type TestGateway } from './harness.ts'

let house: TestGateway

beforeAll(async () => {
  house = await openTestGateway()
})
afterAll(() => house.close())
afterEach(() => vi.restoreAllMocks())

/** Replaces what differs in each run: ids, the names of trials, and times. */
function omitIds(body: unknown): unknown {
  const text = JSON.stringify(body)
    .replace(/\b(req|dso|ord)_[a-z0-9]{26}\b/g, '$1_…')
    .replace(/\btrial-\d+\b/g, 'trial')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'a time')
  return JSON.parse(text)
}

/** Lists every text of a language. */
function listTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listTexts) : []
}

describe('the recorded responses', () => {
  it.each(languages)('in %s are valid against the schema, and have the present texts', (language) => {
    const known = new Set(listTexts(texts[language]))
    for (const code of errorCodes) {
      const { bodies } = errorExampleOf(code)
      const { error } = errorBody.strict().parse(bodies[language])
      expect(error).toMatchObject({ code, retryable: errorTable[code].retryable })
      expect(Object.keys(error), code).toEqual(Object.keys(bodies.en.error))
      expect(known, `${code}: ${error.hint}`).toContain(error.hint)
    }
  })

  it('name no secret', () => {
    expect(JSON.stringify(errorCodes.map(errorExampleOf))).not.toMatch(/eyJ|whsec_|password-\d/)
  })
})

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
      const answer = await executeTrigger(home, trigger)
      expect(answer?.json.error?.code, answer?.text).toBe(code)
      expect(answer?.status).toBe(errorTable[code].status)
      const { status, bodies } = errorExampleOf(code)
      expect(status).toBe(answer?.status)
      expect(omitIds(answer?.json)).toEqual(omitIds(bodies.en))
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
