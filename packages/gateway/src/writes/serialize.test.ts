import { type Capabilities, UnknownOutcome } from '@trade-gateway/connector'
import { describe, expect, it } from 'vitest'
import type { Gateway } from '../gateway.ts'
import { listLockNames, serializeWrite } from './serialize.ts'

/**
 * A gateway in front of an ERP that serialises so, whose locks are noted. The lock named in `busy` is never free, and
 * each other one is free after `lateMs`.
 */
function createQueue(serialise: Capabilities['serialise'], busy?: string, lateMs = 0) {
  let now = 0
  const taken: { readonly name: string; readonly waitMs: number }[] = []
  const held: string[] = []
  const holders = new Map<string, AbortController>()
  const withLock = async <T>(name: string, waitMs: number, work: (lost: AbortSignal) => Promise<T>) => {
    taken.push({ name, waitMs })
    if (name === busy || waitMs < lateMs) return undefined
    now += lateMs
    const holder = new AbortController()
    holders.set(name, holder)
    held.push(name)
    return work(holder.signal).finally(() => held.splice(held.indexOf(name), 1))
  }
  const warehouses = () => [
    { warehouse_code: 'B', kind: 'warehouse' },
    { warehouse_code: 'ALL', kind: 'virtual' },
    { warehouse_code: 'A', kind: 'warehouse' },
  ]
  const gateway = {
    upstream: { capabilities: async () => ({ serialise }) },
    store: { withLock },
    clock: { monotonic: () => now },
    mirror: { stock: { warehouses } },
  } as unknown as Gateway
  return { gateway, taken, held, holders }
}

const stock = { warehouses: ['B', 'A', 'B'], skus: ['SKU-1', 'SKU-2'] }

describe('a write to an ERP that cannot process writes concurrently', () => {
  it.each([
    ['everything', ['allocate everything']],
    ['warehouse', ['allocate A', 'allocate B']],
    ['sku', listLockNames('sku', stock).map((name) => `allocate ${name}`)],
  ] as const)('holds its locks while it runs, per %s, in one sequence', async (serialise, expected) => {
    const { gateway, taken, held } = createQueue(serialise)
    const during = await serializeWrite(gateway, stock, async () => [...held])
    expect(during).toEqual(expected)
    expect(taken).toEqual(expected.map((name) => ({ name, waitMs: 25_000 })))
    expect(held).toEqual([])
  })

  it('takes only the warehouses that it names', async () => {
    const { gateway, held } = createQueue('warehouse')
    const during = await serializeWrite(gateway, { ...stock, warehouses: ['B'] }, async () => [...held])
    expect(during).toEqual(['allocate B'])
  })

  it('takes every real warehouse if it names none', async () => {
    const { gateway, held } = createQueue('warehouse')
    const during = await serializeWrite(gateway, { ...stock, warehouses: [] }, async () => [...held])
    expect(during).toEqual(['allocate A', 'allocate B'])
  })

  it.each(['allocate A', 'allocate B'])('learns that it has lost %s', async (name) => {
    const { gateway, holders } = createQueue('warehouse')
    await serializeWrite(gateway, stock, async (lost) => {
      expect(lost?.aborted).toBe(false)
      holders.get(name)?.abort()
      expect(lost?.aborted).toBe(true)
    })
  })

  it('fails as not sent if its turn does not come, and frees what it holds', async () => {
    const { gateway, held } = createQueue('warehouse', 'allocate B')
    const failure: unknown = await serializeWrite(gateway, stock, async () => {
      throw new Error('The write ran without its turn.')
    }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(UnknownOutcome)
    const message = 'The queue for B is too long.'
    expect(failure).toMatchObject({ kind: 'timeout', sent: false, message })
    expect(held).toEqual([])
  })

  it('waits 25 seconds for all of its locks together, and then fails as not sent', async () => {
    const { gateway, taken, held } = createQueue('sku', undefined, 10_000)
    const skus = ['SKU-1', 'SKU-2', 'SKU-3']
    const waiting = serializeWrite(gateway, { ...stock, skus }, async () => 'ran')
    await expect(waiting).rejects.toMatchObject({ kind: 'timeout', sent: false })
    expect(taken.map(({ waitMs }) => waitMs)).toEqual([25_000, 15_000, 5_000])
    expect(held).toEqual([])
  })

  it('fails with its own error', async () => {
    const { gateway, held } = createQueue('everything')
    const refused = new Error('refused')
    await expect(serializeWrite(gateway, stock, () => Promise.reject(refused))).rejects.toBe(refused)
    expect(held).toEqual([])
  })
})

describe('a write to any other ERP', () => {
  it('takes no lock and cannot lose one', async () => {
    const { gateway, taken } = createQueue('nothing')
    expect(await serializeWrite(gateway, stock, async (lost) => lost)).toBe(undefined)
    expect(taken).toEqual([])
  })

  it('fails as not sent if the ERP never said what it can do', async () => {
    const cause = new Error('no route')
    const { gateway } = createQueue('nothing')
    const lost = {
      ...gateway,
      upstream: { capabilities: () => Promise.reject(cause) },
    } as unknown as Gateway
    const failure: unknown = await serializeWrite(lost, stock, async () => 'ran').catch(
      (error: unknown) => error,
    )
    expect(failure).toBeInstanceOf(UnknownOutcome)
    const message = 'The ERP was never reached.'
    expect(failure).toMatchObject({ kind: 'unreachable', sent: false, cause, message })
  })
})

describe('the locks of SKUs', () => {
  const many = Array.from({ length: 300 }, (_, index) => `SKU-${index}`)
  const listNames = (skus: readonly string[]) => listLockNames('sku', { warehouses: ['A'], skus })

  it('are some of 4,096, one for each SKU, in one sequence whatever that of the lines is', () => {
    const names = listNames(many)
    expect(names).toEqual(listNames(many.toReversed()))
    expect(new Set(names).size).toBe(names.length)
    expect(names.length).toBeGreaterThan(many.length * 0.9)
    for (const name of names) expect(Number(/^SKUs (\d+)$/.exec(name)?.[1])).toBeLessThan(4096)
    expect(listNames(['SKU-1', 'SKU-1'])).toEqual(listNames(['SKU-1']))
  })
})
