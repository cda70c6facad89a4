/**
 * Records a response with each error code: executes what the code's page prints, on sandboxes whose clock and ids are the
 * same in each run, once for each language.
 */

import { type ErrorCode, errorCodes } from '../../src/contract/error-table.ts'
import { languages } from '../../src/contract/language.ts'
import { Deadline } from '../../src/kernel/deadline.ts'
import { triggers } from '../../src/pages/errors/triggers.ts'
import { openTestGateway, type TestGateway } from '../harness.ts'
import { executeTrigger, parseSetting } from './execute-trigger.ts'
import { createRepeatableIds } from './repeatable-ids.ts'

/** A reader would wait for half a minute until the ERP is given up. */
const shortMs = 300

/** Executes every trigger. Throws at the first response with another code. */
export async function recordErrors() {
  // One series for all sandboxes: the harness looks for the secrets of earlier ones in later responses.
  const ids = createRepeatableIds()
  const shared = await openTestGateway({ ids })
  const examples: Record<string, object> = {}
  try {
    for (const code of errorCodes) {
      const { setting } = triggers[code]
      const house =
        setting === undefined ? shared : await openTestGateway({ ids, settings: parseSetting(setting) })
      // An account may request 60 tokens a minute.
      house.clock.advance(60_000)
      examples[code] = await recordError(house, code)
      if (house !== shared) await house.close()
    }
    return examples
  } finally {
    await shared.close()
  }
}

async function recordError(house: TestGateway, code: ErrorCode) {
  const real = Deadline.after
  if (code === 'UPSTREAM_TIMEOUT') Deadline.after = (_ms, other) => real.call(Deadline, shortMs, other)
  try {
    const bodies: Record<string, unknown> = {}
    let status = 0
    for (const language of languages) {
      const result = await executeTrigger(house, triggers[code], language)
      if (result?.json.error?.code !== code) throw new Error(`${code}: ${result?.text}`)
      bodies[language] = result.json
      status = result.status
    }
    return { status, bodies }
  } finally {
    Deadline.after = real
  }
}
