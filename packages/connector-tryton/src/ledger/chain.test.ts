import { expect, it } from 'vitest'
import type { Connector } from '../connector.ts'
import { Chains } from './chain.ts'

const customer = { id: 1, code: 'C', name: 'C' }

const createLine = (id: number, credit: string) => ({
  ...{ id, debit: '0.00', credit, move: id },
  'move.': { number: `M${id}`, date: '2026-01-01', write_date: 1_000_000 * id, create_date: 1_000_000 * id },
})

/** A Tryton with lines of a customer's account. With another session it finds out during the next read. */
function createTryton() {
  const tryton = {
    lines: [createLine(1, '10.00'), createLine(2, '5.00')],
    isSessionLost: false,
    reads: [] as unknown[][],
  }
  let logins = 1
  const rpc = {
    readEpoch: async () => `start-${logins}`,
    searchRead: async (_model: string, domain: unknown[]) => {
      if (tryton.isSessionLost) logins += 1
      tryton.isSessionLost = false
      tryton.reads.push(domain)
      return tryton.lines
    },
  }
  // Chains use no other part of a connector.
  const connector = { rpc, places: { company: 1, minorUnits: 100 } } as unknown as Connector
  const chains = new Chains(connector)
  const readNumbers = async () => (await chains.read(customer)).map(({ number }) => number)
  return { tryton, chains, readNumbers }
}

it('reads only what is newer again, while the session is the same', async () => {
  const { tryton, readNumbers } = createTryton()
  expect(await readNumbers()).toEqual(['M2', 'M1'])
  tryton.lines = [createLine(3, '1.00')]
  expect(await readNumbers()).toEqual(['M3', 'M2', 'M1'])
  const [first, second] = tryton.reads
  expect(second).toHaveLength((first?.length ?? 0) + 1)
})

it('forgets the bookings that a restored backup has lost', async () => {
  const { tryton, chains, readNumbers } = createTryton()
  await readNumbers()
  tryton.lines = [createLine(1, '10.00')]
  tryton.isSessionLost = true
  expect(await readNumbers()).toEqual(['M1'])
  expect((await chains.read(customer))[0]?.balanceAfter).toBe(1_000)
})
