/** Warehouses that the ERP lists later than others, or no longer, and lists that are wrong. */

import { type Erp, UnknownOutcome } from '@trade-gateway/connector'
import { beforeEach, describe, expect, it } from 'vitest'
import { writeStock } from '../src/stock/write.ts'
import {
  call,
  createWorld,
  type LooseJson,
  openTestGateway,
  type TestGateway,
  type World,
} from './harness.ts'
import { syncStock } from './sync-stock.ts'
import { openSecondGateway, setStock } from './trade.ts'

const minute = 60_000
/** What the ERP's list of warehouses says instead of the ERP. */
let list: ((erp: Erp) => Erp['warehouses']) | undefined
/** The warehouse whose snapshot fails. */
let unreadable: string | undefined
let house: TestGateway
let reader: World

beforeEach(async () => {
  list = undefined
  unreadable = undefined
  house = await openTestGateway({
    styles: 10,
    wrapErp: (erp) => ({
      ...erp,
      warehouses: (input, options) => (list?.(erp) ?? erp.warehouses)(input, options),
      'stock.snapshot': (input, options) =>
        input.warehouse_code === unreadable
          ? Promise.reject(new UnknownOutcome('malformed', 'A quantity is no number.'))
          : erp['stock.snapshot'](input, options),
    }),
  })
  reader = await createWorld(house)
  return () => house.close()
})

const leaveOut =
  (...codes: string[]) =>
  (erp: Erp): Erp['warehouses'] =>
  async (input, options) => {
    const answer = await erp.warehouses(input, options)
    if (!('ok' in answer)) return answer
    const warehouses = answer.ok.warehouses.filter(({ warehouse_code }) => !codes.includes(warehouse_code))
    return { ok: { warehouses } }
  }

/** Syncs twice, ten minutes apart: long enough to believe a list. */
async function settleForLong() {
  await syncStock(house.gateway).catch(() => {})
  house.clock.advance(10 * minute)
  await syncStock(house.gateway).catch(() => {})
  await house.gateway.mirror.stock.follow()
}

const read = (path: string) => call(house, 'GET', `/api/v1/warehouses${path}`, { token: reader.token })

async function readFigures(code: string): Promise<Map<string, number>> {
  const { json } = await read(`/${code}/stock`)
  return new Map(
    json.data
      .filter(({ quantity_on_hand }: LooseJson) => quantity_on_hand > 0)
      .map(({ sku, quantity_on_hand }: LooseJson) => [sku, quantity_on_hand]),
  )
}

function addWarehouse() {
  house.sandbox.store.run(
    `insert into warehouses (warehouse_code, name, country_code, timezone, currency, status)
     values ('NZAKL1', 'Auckland', 'NZ', 'Pacific/Auckland', 'NZD', 'active')`,
  )
}

describe('a warehouse that the ERP lists later', () => {
  it('and whose stock cannot be read leaves every process ready, also one that starts', async () => {
    addWarehouse()
    unreadable = 'NZAKL1'
    await expect(syncStock(house.gateway)).rejects.toThrow()
    await house.gateway.mirror.stock.follow()
    expect((await call(house, 'GET', '/readyz')).status).toBe(200)
    expect((await read('/NZAKL1/stock')).json.error.code).toBe('UPSTREAM_ERROR')
    expect((await read('/AUSYD1/stock')).status).toBe(200)
    const started = await openSecondGateway(house, {})
    expect((await call(started, 'GET', '/readyz')).status).toBe(200)
    await started.close()
  })
})

describe('a process of a first start', () => {
  it('is not ready before the stock of every warehouse was read', async () => {
    unreadable = 'CHNZJ1'
    const first = await openTestGateway({
      unfilled: true,
      styles: 5,
      wrapErp: (erp) => ({
        ...erp,
        'stock.snapshot': (input, options) =>
          input.warehouse_code === unreadable
            ? Promise.reject(new UnknownOutcome('malformed', 'A quantity is no number.'))
            : erp['stock.snapshot'](input, options),
      }),
    })
    await first.gateway.mirror.stock.follow()
    expect((await call(first, 'GET', '/readyz')).status).toBe(503)
    await expect(syncStock(first.gateway)).rejects.toThrow()
    await first.gateway.mirror.stock.follow()
    expect((await call(first, 'GET', '/readyz')).status).toBe(503)
    unreadable = undefined
    // A first read that failed is not repeated at once.
    first.clock.advance(15_000)
    await first.settle()
    expect((await call(first, 'GET', '/readyz')).status).toBe(200)
    await first.close()
  })
})

describe('a warehouse that the ERP no longer lists', () => {
  it('is not served ten minutes later, is in no view, and comes back with its stock', async () => {
    const [other, whole] = [await readFigures('AUSYD1'), await readFigures('AU')]
    expect(whole).not.toEqual(other)
    list = leaveOut('AUSYD2')
    await house.settle()
    expect((await read('/AUSYD2/stock')).status).toBe(200)
    await settleForLong()
    expect((await read('/AUSYD2/stock')).json.error.code).toBe('WAREHOUSE_UNKNOWN')
    expect(await readFigures('AU')).toEqual(other)
    await expect(syncStock(house.gateway)).resolves.toBeUndefined()
    list = undefined
    await house.settle()
    expect(await readFigures('AU')).toEqual(whole)
    expect((await read('/AUSYD2/stock')).status).toBe(200)
  })

  it('takes no figure of a response that comes late', async () => {
    const [sku = ''] = [...(await readFigures('AUSYD2')).keys()]
    const input = { warehouse_code: 'AUSYD2', skus: [sku] }
    const late = await house.sandbox.erp['stock.read'](input)
    list = leaveOut('AUSYD2')
    await settleForLong()
    const rows = 'ok' in late ? late.ok.rows : []
    await writeStock(house.gateway, { warehouse_code: 'AUSYD2', rows, gone: [], gone_seq: null })
    await house.gateway.mirror.stock.follow()
    expect(await readFigures('AU')).toEqual(await readFigures('AUSYD1'))
  })

  it('keeps no view from being filled that has it as a member', async () => {
    list = leaveOut('AUSYD2')
    await settleForLong()
    const views = { BOTH: ['AUSYD1', 'AUSYD2'] }
    await syncStock({ ...house.gateway, config: { ...house.gateway.config, views } })
    await house.gateway.mirror.stock.follow()
    expect(await readFigures('BOTH')).toEqual(await readFigures('AUSYD1'))
  })

  it('is served if one list only lacks it, or if the list is empty', async () => {
    list = leaveOut('AUSYD2')
    await house.settle()
    list = undefined
    await settleForLong()
    list = leaveOut('AUSYD2')
    await house.settle()
    expect((await read('/AUSYD2/stock')).status).toBe(200)
    list = () => async () => ({ ok: { warehouses: [] } })
    await settleForLong()
    for (const code of ['AUSYD1', 'AUSYD2', 'AU']) expect((await read(`/${code}/stock`)).status).toBe(200)
  })
})

describe('a list of warehouses that cannot be read', () => {
  it('keeps no warehouse from its changes', async () => {
    const [sku = ''] = [...(await readFigures('AUSYD1')).keys()]
    list = () => () => Promise.reject(new UnknownOutcome('malformed', 'A time zone is no text.'))
    setStock(house, 'AUSYD1', sku, 4_711)
    await expect(syncStock(house.gateway)).rejects.toThrow('A time zone is no text.')
    await house.gateway.mirror.stock.follow()
    expect((await readFigures('AUSYD1')).get(sku)).toBe(4_711)
  })
})

describe('a view that is added while a member gets a new SKU', () => {
  it('has the SKU, also if the writer did not know the view', async () => {
    const { store } = house.gateway
    const [sku = ''] = [...(await readFigures('AUSYD1')).keys()]
    const answer = await house.sandbox.erp['stock.read']({ warehouse_code: 'AUSYD1', skus: [sku] })
    const [figure] = 'ok' in answer ? answer.ok.rows : []
    if (!figure) throw new RangeError('The ERP has no row.')
    const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>()
    const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>()
    const lease = {
      requireHeld: async () => {
        begin()
        await mayCommit
      },
    }
    const rows = [{ ...figure, sku: 'ADDED-1', quantity_on_hand: 5, quantity_available: 5 }]
    const written = writeStock(house.gateway, {
      warehouse_code: 'AUSYD1',
      rows,
      gone: [],
      gone_seq: null,
      lease,
    })
    await hasBegun
    const views = { AU: ['AUSYD1', 'AUSYD2'], CN: ['CHNZJ1'], NEW: ['AUSYD1'] }
    const newer = { ...house.gateway, config: { ...house.gateway.config, views } }
    const filled = syncStock(newer)
    if (store.kind === 'postgres') await new Promise((resolve) => setTimeout(resolve, 500))
    commit()
    await Promise.all([written, filled])
    // A process that stood still for two seconds, on a busy machine, has lost its leases.
    await syncStock(newer)
    await house.gateway.mirror.stock.follow()
    expect((await readFigures('NEW')).get('ADDED-1')).toBe(5)
  })
})

describe('a view with a wrong code', () => {
  it('is left out if a warehouse has the code, which stays readable, and is reported once with its missing members', async () => {
    const lines: object[] = []
    const keep = (fields: object) => void lines.push(fields)
    const log = Object.assign(Object.create(house.gateway.log), { error: keep, warn: keep })
    const views = { AU: ['AUSYD1', 'AUSDY2'], AUSYD2: ['AUSYD1'] }
    const gateway = { ...house.gateway, log, config: { ...house.gateway.config, views } }
    await syncStock(gateway)
    await syncStock(gateway)
    await house.gateway.mirror.stock.follow()
    expect(lines).toEqual([{ warehouse_code: 'AU', subject: 'AUSDY2' }, { warehouse_code: 'AUSYD2' }])
    expect((await read('/AUSYD2/stock')).status).toBe(200)
    expect(await readFigures('AU')).toEqual(await readFigures('AUSYD1'))
  })
})

describe('a view that lacks a SKU of a member', () => {
  it('has it after the next comparison of the member', async () => {
    const { db } = house.gateway.store
    const whole = await readFigures('AU')
    const [sku = ''] = [...(await readFigures('AUSYD1')).keys()]
    await db.deleteFrom('stock').where('warehouse_code', '=', 'AU').where('sku', '=', sku).execute()
    await db
      .updateTable('warehouses')
      .set({ compare_requested_at: house.clock.now() })
      .where('warehouse_code', '=', 'AUSYD1')
      .execute()
    await syncStock(house.gateway)
    const row = await db
      .selectFrom('stock')
      .select('quantity_on_hand')
      .where('warehouse_code', '=', 'AU')
      .where('sku', '=', sku)
      .executeTakeFirst()
    expect(row?.quantity_on_hand).toBe(whole.get(sku))
  })
})
