import { type ErrorCode, errorCatalogue, OutcomeUnknownError, TradeGateway } from '@trade-gateway/sdk'
import { describe, expect, it } from 'vitest'
import { Interrupted } from './failures.ts'
import { Output } from './output/output.ts'
import { reportFailure } from './report.ts'

/** The exit code of each error of the gateway. Scripts decide by them, so they never change. */
const exitCodes: Readonly<Record<ErrorCode, number>> = {
  AUTH_MISSING_TOKEN: 3,
  AUTH_INVALID_TOKEN: 3,
  AUTH_EXPIRED: 3,
  AUTH_BAD_CREDENTIALS: 3,
  AUTH_LOCKED: 3,
  ADMIN_UNAUTHORIZED: 3,
  ADMIN_DISABLED: 3,
  SCOPE_DENIED: 4,
  OMS_LOGIN_REQUIRED: 4,
  WAREHOUSE_DENIED: 4,
  OWNERSHIP_DENIED: 4,
  NOT_FOUND: 4,
  WAREHOUSE_UNKNOWN: 4,
  ENDPOINT_GONE: 4,
  VALIDATION_FAILED: 5,
  BAD_REQUEST: 5,
  SHIPPING_REQUIRED: 5,
  UPSTREAM_REJECTED: 5,
  DUPLICATE_SUSPECTED: 5,
  IDEMPOTENCY_IN_PROGRESS: 5,
  IDEMPOTENCY_MISMATCH: 5,
  IDEMPOTENCY_INVALID_KEY: 5,
  READ_ONLY_MODE: 5,
  RATE_LIMITED: 6,
  UPSTREAM_ERROR: 7,
  UPSTREAM_TIMEOUT: 7,
  INTERNAL: 7,
  AUTHZ_UNAVAILABLE: 7,
}

const same = (text: string) => text
const paint = { red: same, green: same, yellow: same, dim: same, bold: same }

/** What a command with one call throws if the gateway answers it with a code. */
async function failWith(code: string, status: number): Promise<unknown> {
  const body = { error: { code, message: 'refused', request_id: 'req_12345678' } }
  const client = new TradeGateway({
    baseUrl: 'http://gateway.example',
    auth: { accessToken: 'a-token' },
    maxRetries: 0,
    fetch: async () => Response.json(body, { status }),
  })
  return client.me().then(
    () => undefined,
    (error: unknown) => error,
  )
}

async function report(
  error: unknown,
  said: string[] = [],
  isJson = false,
  isTokenOfEnvironment = false,
): Promise<number> {
  const talk = new Output({
    write: (text: unknown, done: (error?: Error | null) => void) => {
      said.push(String(text))
      done()
      return true
    },
    on: () => {},
  } as never)
  return reportFailure(error, { talk, isJson, paint, pending: {}, isTokenOfEnvironment })
}

describe('The exit code of a failure', () => {
  it('is fixed for each error of the catalogue', async () => {
    const codes = Object.keys(errorCatalogue) as ErrorCode[]
    const found = await Promise.all(
      codes.map(async (code) => [code, await report(await failWith(code, errorCatalogue[code].status))]),
    )
    expect(Object.fromEntries(found)).toEqual(exitCodes)
  })

  it('is that of an ERP that does not respond for a write whose outcome is unknown', async () => {
    const error = await failWith('UPSTREAM_TIMEOUT', 504)
    const recover = async () => undefined
    const unknown = new OutcomeUnknownError(error as never, { attempts: 1, idempotencyKey: 'key-1', recover })
    const said: string[] = []
    expect(await report(unknown, said)).toBe(7)
    expect(said.join('')).toContain('Repeat the same command with --idempotency-key key-1')
    expect(said.join('')).not.toContain('recover()')
    const json: string[] = []
    await report(unknown, json, true)
    expect(JSON.parse(json.join('')).error).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      idempotency_key: 'key-1',
    })
  })

  it('is that of an ERP that does not respond for a 5xx with a code of a platform before the gateway', async () => {
    expect(await report(await failWith('FUNCTION_INVOCATION_TIMEOUT', 504))).toBe(7)
  })

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('is that of the process after %s, also in JSON', async (signal, code) => {
    const said: string[] = []
    expect(await report(new Interrupted(signal), said, true)).toBe(code)
    expect(JSON.parse(said.join(''))).toMatchObject({ error: { code: signal }, exit_code: code })
  })
})

describe('The message of a failure', () => {
  it('is that of the gateway in JSON, and has the code before it for a person', async () => {
    const error = await failWith('BAD_REQUEST', 400)
    const [json, text]: [string[], string[]] = [[], []]
    await report(error, json, true)
    await report(error, text)
    expect(JSON.parse(json.join('')).error).toMatchObject({ code: 'BAD_REQUEST', message: 'refused' })
    expect(text.join('')).toContain('✗ BAD_REQUEST: refused\n')
  })
})

describe('The hint of a refused token', () => {
  it.each(['AUTH_EXPIRED', 'AUTH_INVALID_TOKEN'] as const)(
    'of %s names TGW_TOKEN, if it is that one',
    async (code) => {
      const said: Record<string, string[]> = { variable: [], profile: [] }
      const error = await failWith(code, 401)
      await report(error, said.variable, false, true)
      await report(error, said.profile)
      expect(said.variable?.join('')).toContain('unset TGW_TOKEN')
      expect(said.profile?.join('')).toContain('tgw login')
      expect(said.profile?.join('')).not.toContain('TGW_TOKEN')
    },
  )
})
