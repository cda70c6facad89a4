import { expect, it } from 'vitest'
import type { Connector } from '../connector.ts'
import { instant } from '../values.ts'
import { Chains } from './chain.ts'

const customer = { id: 1, code: 'C', name: 'C' }

const createLine = (id: number, credit: string) => ({
  ...{ id, debit: '0.00', credit, move: id },
  'move.': { post_number: '1', date: '2026-01-01', write_date: 1_000_000 * id, create_date: 1_000_000 * id },
})

/**
 * A Tryton with lines of a customer's account, of which a read returns those that are new enough. With another session it
 * finds out during the next read.
 */
function createTryton() {
  const tryton = {
    lines: [createLine(1, '10.00'), createLine(2, '5.00')],
    /** The lines that are posted between a read and the count beside it. */
    postedMeanwhile: 0,
    isSessionLost: false,
    /** How many lines each read returned. */
    reads: [] as number[],
  }
  let logins = 1
  const rpc = {
    readEpoch: async () => `start-${logins}`,
    searchRead: async (_model: string, domain: readonly (readonly unknown[])[]) => {
      if (tryton.isSessionLost) logins += 1
      tryton.isSessionLost = false
      const [operator, recent] = domain.at(-1) ?? []
      const since = operator === 'OR' ? instant.parse((recent as unknown[])[2]) : 0
      const found = tryton.lines.filter((line) => line['move.'].write_date > since)
      tryton.reads.push(found.length)
      return found
    },
    call: async () => tryton.lines.length + tryton.postedMeanwhile,
  }
  // Chains use no other part of a connector.
  const connector = { rpc, places: { company: 1, minorUnits: 100 } } as unknown as Connector
  const chains = new Chains(connector)
  const readNumbers = async () => (await chains.read(customer)).map(({ number }) => number)
  return { tryton, chains, readNumbers }
}

it('reads only what is newer again, while the session is the same', async () => {
  const { tryton, readNumbers } = createTryton()
  expect(await readNumbers()).toEqual(['#2', '#1'])
  tryton.lines.push(createLine(3, '1.00'))
  expect(await readNumbers()).toEqual(['#3', '#2', '#1'])
  expect(await readNumbers()).toEqual(['#3', '#2', '#1'])
  expect(tryton.reads).toEqual([2, 2, 1])
})

it('forgets the bookings that a restored backup has lost', async () => {
  const { tryton, chains, readNumbers } = createTryton()
  await readNumbers()
  tryton.lines = [createLine(1, '10.00')]
  tryton.isSessionLost = true
  expect(await readNumbers()).toEqual(['#1'])
  expect((await chains.read(customer))[0]?.balanceAfter).toBe(1_000)
})

it('has the old bookings of a party that this customer has replaced, and no longer those of one that replaced it', async () => {
  const { tryton, chains, readNumbers } = createTryton()
  tryton.lines = [createLine(2, '5.00'), createLine(4, '2.00')]
  await readNumbers()
  tryton.lines.unshift(createLine(1, '10.00'))
  const [newest] = await chains.read(customer)
  expect(newest).toMatchObject({ number: '#4', balanceAfter: 1_700 })
  tryton.lines = []
  expect(await readNumbers()).toEqual([])
})

it('reads all of it once more, and not again and again, if more is posted meanwhile', async () => {
  const { tryton, readNumbers } = createTryton()
  await readNumbers()
  tryton.postedMeanwhile = 1
  expect(await readNumbers()).toEqual(['#2', '#1'])
  expect(tryton.reads).toEqual([2, 1, 2])
})
