import { type RejectionReason, UnknownOutcome } from '@trade-gateway/connector'
import { describe, expect, it } from 'vitest'
import { GatewayError, type Reason } from '../contract/errors.ts'
import {
  isHoldExpiredError,
  rethrowBlocked,
  toDocumentInDoubtError,
  toRejectionError,
  toUnconfirmedWriteError,
} from './failures.ts'

const message = 'The warehouse is being counted.'

/** What a client is told about each reason of a refusal; undefined if it gets only the ERP's sentence. */
const told: Readonly<Record<Exclude<RejectionReason, 'sku_blocked'>, Reason | undefined>> = {
  not_found: 'invalid_field',
  invalid_field: 'invalid_field',
  bad_credentials: undefined,
  session_expired: undefined,
  not_supported: 'invalid_state',
  insufficient_stock: 'insufficient_stock',
  insufficient_balance: 'insufficient_balance',
  already_shipped: 'already_shipped',
  hold_expired: 'hold_expired',
  price_changed: 'price_changed',
  invalid_state: 'invalid_state',
}

describe('a refusal by the ERP', () => {
  it.each(Object.entries(told))('for %s has the ERP’s sentence and the reason %s', (reason, known) => {
    const { code, facts } = toRejectionError({ reason: reason as RejectionReason, message })
    expect(code).toBe('UPSTREAM_REJECTED')
    expect(facts).toStrictEqual({
      say: ['erp_rejected', { reason: message }],
      ...(known ? { reason: known } : {}),
    })
  })

  it('for a blocked SKU is about the lines', () => {
    const { code, facts } = toRejectionError({
      reason: 'sku_blocked',
      message: `${message}${'!'.repeat(300)}`,
    })
    expect(code).toBe('VALIDATION_FAILED')
    expect(facts).toStrictEqual({
      param: 'lines',
      reason: 'sku_blocked',
      say: ['erp_rejected', { reason: `${message}${'!'.repeat(300)}`.slice(0, 300) }],
    })
  })

  it('has at most 300 characters of the ERP’s sentence, and the short SKUs', () => {
    const shortages = [{ sku: 'AU-1', quantity: 2, quantity_available: 1 }]
    const { facts } = toRejectionError({ reason: 'insufficient_stock', message: 'x'.repeat(301), shortages })
    expect(facts.say).toEqual(['erp_rejected', { reason: 'x'.repeat(300) }])
    expect(facts.more).toEqual({ shortages })
  })
})

describe('a write without a response', () => {
  const late = new UnknownOutcome('timeout', message)
  const broken = new UnknownOutcome('failed', message)
  const unsent = new UnknownOutcome('unreachable', message, { sent: false })
  const lateAndUnsent = new UnknownOutcome('timeout', message, { sent: false })
  const other = new TypeError(message)

  it.each([
    ['a timeout', late, 'UPSTREAM_TIMEOUT'],
    ['a failure', broken, 'UPSTREAM_ERROR'],
    ['an error of the gateway', other, 'UPSTREAM_ERROR'],
  ])('that may have been sent is reported as unknown after %s', (_name, cause, code) => {
    const error = toUnconfirmedWriteError(cause)
    expect(error.code).toBe(code)
    expect(error.facts).toStrictEqual({
      reason: 'upstream_unknown',
      say: ['outcome_unknown'],
      retryAfter: 2,
      cause,
    })
  })

  it.each([
    ['an unreachable ERP', unsent, 'UPSTREAM_ERROR', 'erp_unreachable'],
    ['a wait that was too long', lateAndUnsent, 'UPSTREAM_TIMEOUT', 'erp_busy'],
  ])('that was never sent is not reported as unknown after %s', (_name, cause, code, said) => {
    const error = toUnconfirmedWriteError(cause)
    expect(error.code).toBe(code)
    expect(error.facts).toStrictEqual({ say: [said], retryAfter: 2, cause })
  })

  it('makes a second write on its document wait, with an error that names the document', () => {
    const { code, facts } = toDocumentInDoubtError('ord_1')
    expect(code).toBe('UPSTREAM_TIMEOUT')
    expect(facts).toStrictEqual({
      reason: 'upstream_unknown',
      say: ['document_in_doubt', { id: 'ord_1' }],
      retryAfter: 2,
    })
  })
})

it('recognises a refusal for a hold that had expired, and no other error', () => {
  expect(isHoldExpiredError(toRejectionError({ reason: 'hold_expired', message }))).toBe(true)
  expect(isHoldExpiredError(toRejectionError({ reason: 'invalid_state', message }))).toBe(false)
  expect(isHoldExpiredError(new GatewayError('UPSTREAM_REJECTED'))).toBe(false)
  const lookalike = Object.assign(new Error(message), { facts: { reason: 'hold_expired' } })
  expect(isHoldExpiredError(lookalike)).toBe(false)
})

describe('a refused SKU', () => {
  const rethrow = (error: unknown) => Promise.reject(error).catch(rethrowBlocked('lines.2.sku'))

  it('is named by the field of the request that has it, with everything else of the error', async () => {
    const facts = { param: 'lines', reason: 'sku_blocked', retryAfter: 7 } as const
    await expect(rethrow(new GatewayError('VALIDATION_FAILED', facts))).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      facts: { ...facts, param: 'lines.2.sku' },
    })
  })

  it.each([
    new GatewayError('UPSTREAM_REJECTED', { reason: 'invalid_field', param: 'lines' }),
    new GatewayError('UPSTREAM_ERROR'),
    Object.assign(new Error('no error of ours'), { facts: { reason: 'sku_blocked' } }),
  ])('is not what another error is about, which is thrown as it is: %s', async (error) => {
    await expect(rethrow(error)).rejects.toBe(error)
  })
})
