import { tmpdir } from 'node:os'
import { UsageError } from '@trade-gateway/connector-kit/command-line'
import { describe, expect, it } from 'vitest'
import { computeChecksum } from '../src/checksum.ts'
import { FaultTimes } from '../src/kills/fault-times.ts'
import { faultNames } from '../src/kills/faults.ts'
import { readOptions } from '../src/kills/options.ts'
import { drawSchedule } from '../src/kills/schedule.ts'
import {
  compareDeliveries,
  compareEventFeeds,
  compareEventsWithOrders,
  countDeliveries,
} from '../src/kills/webhooks.ts'
import type { FeedEvent } from '../src/order-replay/event-follower.ts'
import type { Entry } from '../src/order-replay/place-order.ts'
import { StockFollower } from '../src/order-replay/stock-follower.ts'

describe('the options of the kills', () => {
  it('are 200 kills with every fault, and stops of 20 seconds', () => {
    expect(readOptions([])).toMatchObject({ kills: 200, stop_ms: 20_000, faults: faultNames })
    expect(readOptions(['--faults', 'erp-kill,redis-stop'])).toMatchObject({
      faults: ['erp-kill', 'redis-stop'],
    })
  })

  it.each([
    [['--faults', 'meteor'], /--faults has no fault "meteor"\. The faults are process-kill, .*erp-kill\./],
    [['--kills', '0'], /--kills must be a whole number/],
    [['--stop', 'long'], /--stop must be a whole number/],
    [['--report', ''], /--report must be the name of a file, not ""/],
    [['--report', tmpdir()], /--report cannot write ".*": it is a folder/],
    [['--history', '/missing/h'], /--history cannot write "\/missing\/h": there is no folder "\/missing"/],
  ])('are refused with a sentence: %j', (args, message) => {
    expect(() => readOptions(args)).toThrow(UsageError)
    expect(() => readOptions(args)).toThrow(message)
  })
})

describe('the schedule', () => {
  const plan = { kills: 40, seed: 7, faults: faultNames }

  it('is the same for the same seed, and another one for another', () => {
    expect(drawSchedule(plan)).toEqual(drawSchedule(plan))
    expect(drawSchedule(plan)).not.toEqual(drawSchedule({ ...plan, seed: 8 }))
    expect(drawSchedule(plan)).toHaveLength(40)
  })

  it('has every fault once in each round', () => {
    const round = drawSchedule(plan).slice(0, faultNames.length)
    expect(round.map(({ fault }) => fault).sort()).toEqual([...faultNames].sort())
  })
})

describe('the times of the faults', () => {
  it('give a wait to the fault during which most of it happened', () => {
    const times = new FaultTimes()
    const said = { request: 'GET /y', result: '200' }
    times.recordWait({ from_ms: 0, to_ms: 90, ...said })
    times.begin('redis-kill', 100)
    times.begin('process-stop', 200)
    times.recordWait({ from_ms: 195, to_ms: 400, ...said, result: 'no response' })
    times.recordWait({ from_ms: 110, to_ms: 210, ...said })
    times.recordRefusals({ from_ms: 300, to_ms: 350, request: 'GET /x', reasons: ['no response'] })
    expect(times.figures.get('redis-kill')).toMatchObject({ longest_wait_ms: 100, longest_refusal_ms: 0 })
    expect(times.figures.get('process-stop')).toMatchObject({
      times: 1,
      longest_wait_ms: 205,
      longest_wait: { request: 'GET /y', result: 'no response' },
      longest_refusal_ms: 50,
      longest_refusal: { request: 'GET /x', reasons: ['no response'] },
    })
  })
})

describe('a follower of the stock', () => {
  const row = {
    sku: 'A',
    product_code: 'P',
    quantity_on_hand: 1,
    quantity_available: 1,
    price_wholesale: 2.5,
    price_retail: 5,
    currency: 'AUD',
  }
  const createPage = (version: number, changed: object[], of: (typeof row)[]) => ({
    ...{ data: changed, version, latest: version, has_more: false, needs_full_sync: false },
    ...{ row_count: of.length, checksum: computeChecksum(of) },
  })

  async function follow(...pages: object[]) {
    const replies = [{ data: [row], has_more: false, version: 1 }, ...pages]
    // A wrong copy is compared with new pulls.
    const pulled = { data: [row], has_more: false, version: 9 }
    const client = { read: async () => replies.shift() ?? pulled }
    const follower = new StockFollower(client, 'AUSYD1', { states: new Map() })
    await follower.followUntil(() => replies.length === 0)
    return follower.findings.map(({ kind }) => kind)
  }

  it('finds nothing in a feed that is right', async () => {
    const changed = { ...row, quantity_available: 0 }
    expect(await follow(createPage(1, [], [row]), createPage(2, [changed], [changed]))).toEqual([])
  })

  it('finds a change that the feed left out', async () => {
    expect(await follow(createPage(2, [], [{ ...row, quantity_available: 0 }]))).toEqual(['missed'])
  })

  it('finds a version with two states', async () => {
    const changed = { ...row, quantity_available: 0 }
    expect(await follow(createPage(2, [], [row]), createPage(2, [changed], [changed]))).toEqual(['missed'])
  })

  it('finds a cursor that goes back, and a full sync', async () => {
    expect(await follow(createPage(5, [], [row]), createPage(4, [], [row]))).toEqual(['ran_back'])
    const resync = { ...createPage(5, [], [row]), needs_full_sync: true }
    expect(await follow(resync, { data: [row], has_more: false, version: 5 })).toEqual(['resynced'])
  })
})

describe('the events', () => {
  const createEvent = (event_id: string, number: string): FeedEvent => ({
    event_id,
    type: 'order.created',
    data: { client_order_number: number },
  })
  const createEntry = (client_order_number: string, outcome: Entry['outcome']): Entry => ({
    ...{ client_order_number, outcome, goods: new Map(), order_id: undefined },
    ...{ total: null, quoted: null, trouble: null },
  })
  const listKinds = (findings: readonly { kind: string; subject: string }[]) =>
    findings.map(({ kind, subject }) => `${kind} ${subject}`)

  it('are one for each order that was placed, and none for others', () => {
    const entries = [createEntry('1', 'confirmed'), createEntry('2', 'voided'), createEntry('3', 'refused')]
    const right = [createEvent('a', '1'), createEvent('b', '2')]
    expect(compareEventsWithOrders(right, entries)).toEqual([])
    const wrong = [createEvent('a', '1'), createEvent('b', '1'), createEvent('c', '3'), createEvent('d', '4')]
    expect(listKinds(compareEventsWithOrders(wrong, entries))).toEqual([
      'untrue 1',
      'untrue 2',
      'untrue 3',
      'untrue 4',
    ])
  })

  it('are the same for a follower and for a new client', () => {
    const [a, b] = [createEvent('a', '1'), createEvent('b', '2')]
    expect(compareEventFeeds([a, b], [a, b])).toEqual([])
    expect(listKinds(compareEventFeeds([a], [a, b]))).toEqual(['missed b'])
    expect(listKinds(compareEventFeeds([a, b], [a]))).toEqual(['untrue b'])
    expect(listKinds(compareEventFeeds([a, a], [a]))).toEqual(['untrue the feed of events'])
  })

  it('all reach the receiver with right signatures', () => {
    const events = [createEvent('a', '1'), createEvent('b', '2')]
    const createDelivery = (event_id: string, genuine = true) => ({
      ...{ event_id, genuine, type: 'stock.changed', subject: 'AUSYD1' },
      version: event_id === 'a' ? 1 : 2,
    })
    const deliveries = [createDelivery('b'), createDelivery('a'), createDelivery('a')]
    expect(compareDeliveries(events, deliveries)).toEqual([])
    expect(countDeliveries(events, deliveries)).toEqual({
      ...{ events: 2, deliveries: 3, repeated: 1, overtaken: 1 },
    })
    expect(listKinds(compareDeliveries(events, [createDelivery('a', false)]))).toEqual([
      'undelivered b',
      'forged a',
    ])
  })
})
