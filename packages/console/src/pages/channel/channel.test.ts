import { describe, expect, it } from 'vitest'
import { lacksCustomer } from './channel.ts'

describe('a channel', () => {
  it.each([
    ['trader', null, true],
    ['full', null, true],
    ['trader', 'C-17', false],
    ['reader', null, false],
  ] as const)(
    'of plan %s with the customer %s lacks a customer to order for: %s',
    (plan, customer, lacks) => {
      expect(lacksCustomer({ plan, customer_code: customer })).toBe(lacks)
    },
  )
})
