import { GatewayError, OutcomeUnknownError, UsageError } from '../../src/index.ts'
import type { LoggedRequest } from '../faulty-server.ts'
import { catchError, checkEqual, checkTrue } from './check.ts'
import { buildOrder, type Case, openRun, type Target } from './target.ts'

/** Scripts after whose first failures the call succeeds, with the number of requests that this takes. */
const passing: readonly (readonly [script: string, requests: number])[] = [
  ['ok', 1],
  ['html-page', 2],
  ['truncated-gzip', 2],
  ['broken-off', 2],
  ['dropped', 3],
  ['limited-without-header', 2],
  ['limited-for-a-second', 2],
  ['in-progress', 2],
  ['shed-load', 2],
  ['commit-unknown', 2],
  ['not-received', 2],
  ['platform-timeout', 2],
  ['expired-once', 2],
]

/** Checks how often a write was sent, under one key. */
function checkRequests(calls: readonly LoggedRequest[], requests: number) {
  checkEqual(calls.length, requests, 'the number of requests')
  checkEqual(new Set(calls.map(({ key }) => key)).size, 1, 'the number of keys')
}

const writeSucceeds = passing.map(
  ([script, requests]): Case => ({
    name: `a write succeeds under one key after ${requests} requests: ${script}`,
    async run(target) {
      const { client, readCalls } = openRun(target, script)
      const { data, meta } = await client.dropship.submit(buildOrder()).withResponse()
      checkEqual(data.dropship_order_id, 'dso_1')
      const calls = await readCalls()
      checkRequests(calls, requests)
      checkEqual(new Set(calls.map(({ body }) => body)).size, 1, 'the number of bodies')
      checkEqual(meta.idempotencyKey, calls[0]?.key)
    },
  }),
)

async function failToSubmit(target: Target, script: string, options = {}) {
  const run = openRun(target, script)
  const error = await catchError(run.client.dropship.submit(buildOrder(), options))
  checkTrue(error instanceof GatewayError, `${error.name} is a GatewayError`)
  return { error: error as GatewayError, calls: await run.readCalls() }
}

/** Scripts that end a write with one retry, with the code of the error and the number of requests. */
const final: readonly (readonly [script: string, code: string, requests: number])[] = [
  ['html-refusal', 'UNEXPECTED_RESPONSE', 1],
  ['redirected', 'UNEXPECTED_RESPONSE', 1],
  ['limited-for-an-hour', 'RATE_LIMITED', 1],
  ['new-code', 'TEAPOT_FOUND', 1],
  ['dropped-then-rejected', 'UPSTREAM_REJECTED', 2],
  ['html-success', 'OUTCOME_UNKNOWN', 1],
  ['html-page-forever', 'OUTCOME_UNKNOWN', 2],
  ['platform-timeout-forever', 'OUTCOME_UNKNOWN', 2],
  ['platform-fault', 'OUTCOME_UNKNOWN', 1],
  ['blocked-success', 'OUTCOME_UNKNOWN', 1],
  ['refused-success', 'OUTCOME_UNKNOWN', 1],
  ['broken-off-forever', 'OUTCOME_UNKNOWN', 2],
  ['dropped-forever', 'OUTCOME_UNKNOWN', 2],
  ['dropped-then-limited', 'OUTCOME_UNKNOWN', 2],
  ['dropped-then-not-received', 'OUTCOME_UNKNOWN', 2],
  ['not-received-forever', 'BAD_REQUEST', 2],
  ['fault', 'OUTCOME_UNKNOWN', 1],
  ['commit-unknown-forever', 'OUTCOME_UNKNOWN', 2],
  ['commit-unknown-then-shed-load', 'OUTCOME_UNKNOWN', 2],
  ['shed-load-forever', 'INTERNAL', 2],
  ['storage-full-forever', 'INTERNAL', 2],
  ['storage-away-forever', 'INTERNAL', 2],
  ['expired-forever', 'AUTH_EXPIRED', 2],
]

const writeFails = final.map(
  ([script, code, requests]): Case => ({
    name: `a write ends with ${code} after ${requests} requests: ${script}`,
    async run(target) {
      const { error, calls } = await failToSubmit(target, script, { maxRetries: 1 })
      checkEqual(error.code, code)
      checkEqual(error instanceof OutcomeUnknownError, code === 'OUTCOME_UNKNOWN')
      checkRequests(calls, requests)
      checkEqual(error.idempotencyKey, calls[0]?.key)
    },
  }),
)

export const transportCases: readonly Case[] = [
  ...writeSucceeds,
  ...writeFails,
  {
    name: 'an HTML page is quoted as text, with its status, and names the likely cause',
    async run(target) {
      const { error } = await failToSubmit(target, 'html-refusal')
      checkEqual(error.status, 403)
      checkTrue(error.message.includes('Bad Gateway nginx'), `"${error.message}" quotes the page`)
      checkTrue(error.message.includes('proxy'), `"${error.message}" names a proxy`)
    },
  },
  {
    name: 'a request that never ends is given up in time, and the whole call at its deadline',
    async run(target) {
      const limits = { attemptTimeoutMs: 50, deadlineMs: 120 }
      const { error, calls } = await failToSubmit(target, 'hanging', limits)
      checkEqual([error.code, (error.cause as GatewayError).code], ['OUTCOME_UNKNOWN', 'TIMED_OUT'])
      checkTrue(calls.length >= 1 && calls.length <= 3, `${calls.length} requests fit into the deadline`)
    },
  },
  {
    name: 'a write to a path that the SDK does not know is repeated under one key with one body',
    async run(target) {
      const { client, readCalls } = openRun(target, 'html-page')
      await client.request('POST', '/api/v1/not-known', { body: { some: 'thing' } })
      const calls = await readCalls()
      checkRequests(calls, 2)
      checkEqual(
        [...new Set(calls.map(({ path, body }) => `${path} ${body}`))],
        ['/api/v1/not-known {"some":"thing"}'],
      )
    },
  },
  {
    name: 'a signal ends a call with its own reason',
    async run(target) {
      const stop = new AbortController()
      const { client } = openRun(target, 'hanging')
      const call = client.dropship.submit(buildOrder(), { signal: stop.signal })
      setTimeout(() => stop.abort(new Error('enough')), 30)
      checkEqual((await catchError(call)).message, 'enough')
    },
  },
  {
    name: 'a word that this version does not know passes through',
    async run(target) {
      const { client } = openRun(target, 'new-words')
      checkEqual((await client.dropship.read('dso_1')).status, 'teleported')
    },
  },
  {
    name: 'an empty id, a relative one and a bad key are refused before anything is sent',
    async run(target) {
      const { client, readLog } = openRun(target, 'ok')
      for (const id of ['', '.', '..'])
        checkTrue((await catchError(client.orders.read(id))) instanceof UsageError, `"${id}" is refused`)
      const options = { idempotencyKey: 'not ascii: é' }
      checkTrue(
        (await catchError(client.orders.void('ord_1', options))) instanceof UsageError,
        'the key is refused',
      )
      checkEqual((await readLog()).length, 0, 'the number of requests')
    },
  },
  {
    name: 'an id is encoded, so that it cannot lead to another path',
    async run(target) {
      const { client, readCalls } = openRun(target, 'ok')
      await client.orders.read('a/../b?c#d')
      checkEqual((await readCalls())[0]?.path, '/api/v1/orders/a%2F..%2Fb%3Fc%23d')
    },
  },
]
