/**
 * `tgw trace` finds the request of every error that a sandbox can reproduce, with the token of the caller that failed. It
 * prints how long the slowest took. Failures that belong to no caller are the operator's alone.
 */

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type ErrorCode, errorCodes } from '../../gateway/src/contract/error-table.ts'
import { Deadline } from '../../gateway/src/kernel/deadline.ts'
import { triggers } from '../../gateway/src/pages/errors/triggers.ts'
import { executeTrigger, parseSetting } from '../../gateway/tests/examples/execute-trigger.ts'
import {
  adminToken,
  call,
  openTestGateway,
  signInBuyer,
  type TestGateway,
} from '../../gateway/tests/harness.ts'
import { runInProcess } from './run-in-process.ts'

/** `requests.read` shows a caller its own channel only. These failures come before the gateway knows a channel. */
const operatorsAlone: Partial<Record<ErrorCode, string>> = {
  AUTH_MISSING_TOKEN: 'the request has no token',
  AUTH_INVALID_TOKEN: 'the token is not one of the gateway',
  AUTH_EXPIRED: 'the token is not valid any more',
  AUTHZ_UNAVAILABLE: 'the gateway could not decide whose token it is',
  INTERNAL: 'the fault of the sandbox comes before the gateway reads the token',
  AUTH_BAD_CREDENTIALS: 'nobody is signed in yet',
  AUTH_LOCKED: 'nobody is signed in yet',
  ADMIN_UNAUTHORIZED: 'the operator’s endpoints have no channel',
  ADMIN_DISABLED: 'the operator’s endpoints have no channel',
  ENDPOINT_GONE: 'the paths of the legacy gateway take no token',
}

let house: TestGateway
let slowestMs = 0
beforeAll(async () => {
  house = await openTestGateway({ isEmbedded: true })
})
afterAll(async () => {
  process.stderr.write(`The slowest tgw trace took ${Math.round(slowestMs)} ms, without the start of Node.\n`)
  await house.close()
})
afterEach(() => vi.restoreAllMocks())

/** Makes a gateway fail with a code, and gives its last response to `check`. */
async function reproduce(
  code: ErrorCode,
  check: (home: TestGateway, failed: { request_id: string; token: string | undefined }) => Promise<void>,
): Promise<void> {
  const trigger = triggers[code]
  // A caller would wait for half a minute; the test shortens the time limit instead.
  const real = Deadline.after.bind(Deadline)
  if (code === 'UPSTREAM_TIMEOUT')
    vi.spyOn(Deadline, 'after').mockImplementation((_ms, other) => real(300, other))
  const { setting } = trigger
  const settings = setting === undefined ? {} : parseSetting(setting)
  const home = setting === undefined ? house : await openTestGateway({ isEmbedded: true, settings })
  try {
    const answer = await executeTrigger(home, trigger)
    expect(answer?.json.error, answer?.text).toMatchObject({ code })
    await check(home, { request_id: answer?.json.error.request_id, token: answer?.token })
  } finally {
    if (home !== house) await home.close()
  }
}

/** Runs `tgw trace` and takes its time, without the start of Node. */
async function trace(home: TestGateway, token: string | undefined, request_id: string) {
  const env = { HOME: '/nonexistent', TGW_KEYCHAIN: 'off', TGW_BASE_URL: home.url, TGW_TOKEN: token ?? '' }
  const began = performance.now()
  const result = await runInProcess(['trace', request_id, '--json'], { env })
  return { ...result, ms: performance.now() - began }
}

describe('tgw trace', () => {
  it.each(errorCodes.filter((code) => !(code in operatorsAlone)))(
    'shows the caller its failed request of %s',
    async (code) => {
      await reproduce(code, async (home, { token, request_id }) => {
        // The quota that the failure used up returns after a minute.
        if (code === 'RATE_LIMITED') home.clock.advance(61_000)
        const traced = await trace(home, token, request_id)
        expect(traced, traced.err).toMatchObject({ code: 0 })
        expect(JSON.parse(traced.out).requests).toMatchObject([{ code, request_id }])
        slowestMs = Math.max(slowestMs, traced.ms)
      })
    },
  )

  it.each(Object.entries(operatorsAlone) as [ErrorCode, string][])(
    'does not show a caller the request of %s, because %s; the operator sees it',
    async (code) => {
      await reproduce(code, async (home, { request_id }) => {
        const traced = await trace(home, await signInBuyer(home), request_id)
        expect(traced.code, traced.out).toBe(4)
        // Where the operator's endpoints are off, the operator has the log.
        if (code === 'ADMIN_DISABLED') return
        const found = await call(home, 'GET', `/admin/api/requests/${request_id}`, { admin: adminToken })
        expect(found.json.data?.requests, found.text).toMatchObject([{ code, channel_code: null }])
      })
    },
  )
})
