/**
 * For hours, an attacker who knows only a username guesses from many addresses and in many spellings. The ERP is asked
 * at most five times in any 15 minutes, valid tokens keep working, and nobody else is affected.
 */

import { rejected } from '@trade-gateway/connector'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SeededRandom } from './faults/dice.ts'
import { seed, sizes } from './faults/sizes.ts'
import { buyers, call, openTestGateway, signInBuyer, type TestGateway } from './harness.ts'
import { reportFigure } from './promises/report-figure.ts'
import { type Buyer, expectData, openShop } from './trade.ts'

const minute = 60_000
const windowMs = 15 * minute
const maxGuesses = 5
const addresses = 500
const [victim, other] = buyers
const tokenPath = '/api/v1/auth/token'

let house: TestGateway
let shop: Buyer
const askedAt: number[] = []

beforeAll(async () => {
  house = await openTestGateway({
    styles: 1,
    settings: { TRUST_PROXY: '127.0.0.0/8', TOKEN_TTL_SECONDS: '86400' },
    wrapErp: (erp) => ({
      ...erp,
      async sign_in(input, options) {
        if (!input.password.startsWith('guess')) return erp.sign_in(input, options)
        askedAt.push(house.clock.now())
        return rejected('bad_credentials', 'No.')
      },
    }),
  })
  shop = openShop(house)
  await shop.token()
  await signInBuyer(house, other)
})
afterAll(() => house.close())

function signIn(username: string, password: string, address: string) {
  return call(house, 'POST', tokenPath, {
    headers: { 'x-forwarded-for': address },
    body: { grant_type: 'password', username, password },
  })
}

describe('guesses of a password', () => {
  it('are five in any 15 minutes, and stop nobody who has a token', async () => {
    const dice = new SeededRandom(seed ?? 1)
    const token = await shop.token()
    const names = [
      victim.username,
      victim.username.toUpperCase(),
      ` ${victim.username} `,
      `${victim.username}\u200b`,
    ]
    const drawAddress = () => `203.0.${dice.drawInteger(0, 1)}.${dice.drawInteger(1, addresses / 2)}`
    const refused = new Set<string>()
    for (let guess = 0; guess < sizes.guesses; guess++) {
      const { json } = await signIn(dice.pick(names), `guess ${guess}`, drawAddress())
      refused.add(json.error.code)
      if (dice.drawBoolean(0.1)) house.clock.advance(dice.drawInteger(0, 3) * minute)
      if (guess % 50 !== 0) continue
      expectData(await call(house, 'GET', '/api/v1/me', { token }))
      // Another account signs in, from one of the attacker's addresses.
      expectData(await signIn(other.username, other.password, drawAddress()))
    }
    expect([...refused].sort()).toEqual(['AUTH_BAD_CREDENTIALS', 'AUTH_LOCKED'])
    for (const [index, at] of askedAt.entries()) {
      const inWindow = askedAt.slice(index).filter((later) => later < at + windowMs)
      expect(inWindow.length).toBeLessThanOrEqual(maxGuesses)
    }
    expect(askedAt.length).toBeGreaterThan(maxGuesses)
    reportFigure(
      ['I29'],
      `${sizes.guesses} guesses, ${askedAt.length} reached the ERP, five at most in 15 minutes`,
    )
    expectData(await call(house, 'GET', '/api/v1/me', { token }))
    house.clock.advance(windowMs)
    expectData(await signIn(victim.username, victim.password, '198.51.100.250'))
  }, 600_000)
})
