import { unwrap } from '@trade-gateway/connector'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { serve } from '../src/serve.ts'
import { toDecimal } from '../src/values.ts'
import {
  countSales,
  describeLive,
  type Live,
  openLive,
  readAvailable,
  readLiveConfig,
  stockUp,
  toHold,
  toSubmit,
} from './live.ts'
import {
  countLeftTasks,
  findOwnPorts,
  killBeforeProcessing,
  type OwnSandbox,
  runWorker,
  startOwnSandbox,
} from './own-sandbox.ts'

const quantity = 3
const stocked = 20
/** Each test kills and starts a server. */
const timeout = 120_000

describeLive('An order that trytond confirmed and was killed before it processed', () => {
  let sandbox: OwnSandbox
  let live: Live
  let sku: string
  let number = 20

  beforeAll(async () => {
    sandbox = await startOwnSandbox(findOwnPorts(7_000))
    live = await openLive({ staffUrl: sandbox.url })
  }, timeout)

  beforeEach(async () => {
    sku = await stockUp(live, number++, stocked)
  })

  afterAll(() => sandbox?.stop({ forget: true }))

  /** Leaves an order that nothing will ever process. */
  async function leaveUndecided() {
    const input = toSubmit(live, sku, quantity)
    const submitting = killBeforeProcessing(sandbox, input.reference, () => live.erp.submit(input))
    await expect(submitting).rejects.toThrow()
    expect(unwrap(await live.erp.lookup({ reference: input.reference })).state).toBe('in_progress')
    return input
  }

  const countShipments = (reference: string) =>
    sandbox.postgres.query(
      `select count(distinct m.shipment) from sale_line l join sale_sale s on s.id = l.sale
       join stock_move m on m.origin = 'sale.line,' || l.id where s.web_id = '${reference}'`,
    )

  it(
    'is placed by settle, once and with its stock',
    async () => {
      const { reference } = await leaveUndecided()
      const settled = unwrap(await live.erp.settle({ reference }))
      expect(settled).toMatchObject({ state: 'found', document: { status: 'open' } })
      expect(settled.document?.lines[0]?.quantity_allocated).toBe(quantity)
      expect(unwrap(await live.erp.settle({ reference }))).toEqual(settled)
      expect(await countSales(live, reference)).toBe(1)
      expect(await countShipments(reference)).toBe('1')
      expect(await readAvailable(live, sku)).toBe(stocked - quantity)
    },
    timeout,
  )

  it(
    'is placed by a repeated submit, once and with its stock',
    async () => {
      const input = await leaveUndecided()
      const { document } = unwrap(await live.erp.submit(input))
      expect(document.lines[0]?.quantity_allocated).toBe(quantity)
      expect(await countSales(live, input.reference)).toBe(1)
      expect(await countShipments(input.reference)).toBe('1')
      expect(await readAvailable(live, sku)).toBe(stocked - quantity)
    },
    timeout,
  )

  it(
    'is cancelled by void, and its stock returns',
    async () => {
      const { reference } = await leaveUndecided()
      const { document } = unwrap(await live.erp.void({ reference }))
      expect(document.status).toBe('cancelled')
      expect(await readAvailable(live, sku)).toBe(stocked)
      expect(unwrap(await live.erp.settle({ reference })).document?.status).toBe('cancelled')
      expect(await readAvailable(live, sku)).toBe(stocked)
    },
    timeout,
  )

  it(
    'is not processed a second time by a worker that comes late',
    async () => {
      const { reference } = await leaveUndecided()
      unwrap(await live.erp.settle({ reference }))
      await runLeftTasks()
      expect(await countShipments(reference)).toBe('1')
      expect(await readAvailable(live, sku)).toBe(stocked - quantity)
    },
    timeout,
  )

  it(
    'is taken back if Tryton refuses it now, and nothing comes later',
    async () => {
      const input = await leaveUndecided()
      const party = await live.staff.findOne('party.party', [['code', '=', input.customer_code]])
      const limit = (amount: string | null) =>
        live.staff.write('party.party', [party], {
          credit_limit_amount: amount === null ? null : toDecimal(amount),
        })
      await limit('0.01')
      expect(unwrap(await live.erp.settle({ reference: input.reference })).state).toBe('absent')
      await limit(null)
      await runLeftTasks()
      expect(await live.erp.submit(input)).toMatchObject({ rejected: { reason: 'invalid_state' } })
      expect(await live.erp.void({ reference: input.reference })).toMatchObject({
        rejected: { reason: 'not_found' },
      })
      expect(await countShipments(input.reference)).toBe('0')
      expect(await readAvailable(live, sku)).toBe(stocked)
    },
    timeout,
  )

  it(
    'is not the only thing that is settled: a start takes back a hold that was left waiting',
    async () => {
      const onStep = (step: string) => {
        if (step === 'hold.create') throw new Error('killed')
      }
      const killed = await openLive({ staffUrl: sandbox.url, onStep })
      const { reference, ...more } = toHold(live, sku, quantity)
      await expect(killed.erp.hold({ reference, ...more })).rejects.toThrow('killed')
      // Only what is older than any request was left by a connector that ended.
      await sandbox.postgres.query(
        `update stock_shipment_internal set create_date = create_date - interval '1 hour' where reference like '${reference} %'`,
      )
      const logged: string[] = []
      const options = { host: '127.0.0.1', port: 0, token: 'token-of-a-start' }
      const log = (line: string) => void logged.push(line)
      const started = await serve(readLiveConfig({ staffUrl: sandbox.url }), { ...options, log })
      // Before the first sweep of the timer is due.
      await vi.waitFor(() => expect(logged).toEqual(['settled 1 references that were left begun']), 30_000)
      await started.close()
      expect(unwrap(await live.erp.lookup({ reference })).state).toBe('absent')
      expect(await readAvailable(live, sku)).toBe(stocked)
    },
    timeout,
  )

  /** Runs what is left in Tryton's queue, as `trytond-worker` does. */
  async function runLeftTasks() {
    expect(await countLeftTasks(sandbox)).toBeGreaterThan(0)
    await runWorker(sandbox)
  }
})
