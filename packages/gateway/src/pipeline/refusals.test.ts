import { expect, it } from 'vitest'
import type { Call } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'
import { Quota } from '../kernel/quota.ts'
import { chargeRefusal } from './refusals.ts'

const freeRefusals = 10

it('charges each refused message of a batch, whatever its other messages cost, unless it was charged itself', async () => {
  const quota = { points: new Quota(), refusals: new Quota() }
  const gateway = { quota, clock: { monotonic: () => 500_000 } } as unknown as Gateway
  const call = { caller: { channel_code: 'shop', points_per_minute: 100 }, cost: 3 } as unknown as Call
  const error = new GatewayError('VALIDATION_FAILED')
  const refuse = async (paid?: number) => expect(await chargeRefusal(gateway, call, error, paid)).toBe(error)
  for (let index = 0; index < freeRefusals; index++) await refuse(0)
  expect(call.cost).toBe(3)
  for (let index = 0; index < 2; index++) await refuse(0)
  expect(call.cost).toBe(5)
  for (const paid of [1, undefined]) await refuse(paid)
  expect(call.cost).toBe(5)
})
