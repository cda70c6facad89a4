import { describe, expect, it } from 'vitest'
import { checkHistory } from '../src/checker/check.ts'
import type { HistoryRecorder } from '../src/history/recorder.ts'
import { closeBooks, historyOf, lines } from './history-of.ts'

const ok = { type: 'ok' } as const
const refused = { type: 'refused' } as const
const unknown = { type: 'unknown' } as const

function findAnomalies(write: (recorder: HistoryRecorder) => void) {
  return checkHistory(historyOf(write)).violations.map(({ anomaly, key }) => `${anomaly} ${key}`)
}

const open = (recorder: HistoryRecorder, sku: string, quantity: number) =>
  recorder.observe('erp', 'erp.opening', { sku, quantity })
const submit = (recorder: HistoryRecorder, order: string, quantity: number) =>
  recorder.begin('buyer', 'order.submit', { order, lines: lines('A', quantity) })
const row = (warehouse_code: string, version: number, quantity: number) => ({
  ...{ warehouse_code, sku: 'A', version, quantity },
})
const event = (event_id: string, subject: string, version: number) => ({
  ...{ event_id, type: 'stock.changed', subject, version },
})

describe('the checker finds', () => {
  it('a lost order', () => {
    expect(
      findAnomalies((recorder) => {
        submit(recorder, '1', 2)(ok)
        closeBooks(recorder, {}, {})
      }),
    ).toEqual(['lost 1'])
  })

  it('a duplicate order', () => {
    expect(
      findAnomalies((recorder) => {
        submit(recorder, '1', 2)(unknown)
        for (const document of ['x', 'y'])
          recorder.observe('erp', 'erp.order', { order: '1', document, status: 'live', lines: lines('A', 2) })
        recorder.observe('erp', 'erp.books', { documents: 2 })
      }),
    ).toEqual(['duplicated 1'])
  })

  it('an oversell, even if both orders were concurrent', () => {
    expect(
      findAnomalies((recorder) => {
        open(recorder, 'A', 5)
        const first = submit(recorder, '1', 3)
        submit(recorder, '2', 3)(ok)
        first(ok)
      }),
    ).toEqual(['stock A'])
  })

  it('a stale read after a write', () => {
    expect(
      findAnomalies((recorder) => {
        recorder.begin('a', 'stock.write', { writes: [row('SYD', 7, 3)] })(ok)
        recorder.begin('a', 'stock.read')({ type: 'ok', output: { rows: [row('SYD', 6, 4)] } })
      }),
    ).toEqual(['stale-read A in SYD'])
    expect(
      findAnomalies((recorder) => {
        submit(recorder, '1', 1)(ok)
        recorder.begin('buyer', 'order.read', { order: '1' })({ type: 'ok', output: { status: 'draft' } })
      }),
    ).toEqual(['order 1'])
  })

  it('a version that nobody wrote', () => {
    const record = (isRestored: boolean) => (recorder: HistoryRecorder) => {
      if (isRestored) recorder.observe('feed', 'database.restored', {})
      for (const version of [4, 5, 7])
        recorder.begin('a', 'stock.read')({ type: 'ok', output: { rows: [row('SYD', version, 3)] } })
      for (const version of [5, 6])
        recorder.begin('database', 'stock.write', { writes: [row('SYD', version, 3)] })(ok)
    }
    expect(findAnomalies(record(false))).toEqual(['unwritten A in SYD at 7'])
    expect(findAnomalies(record(true))).toEqual([])
  })

  it('a version that goes back, in a read and in a copy', () => {
    expect(
      findAnomalies((recorder) => {
        for (const version of [7, 6])
          recorder.begin('a', 'stock.read')({ type: 'ok', output: { rows: [row('SYD', version, 4)] } })
        for (const version of [2, 1])
          recorder.observe('a', 'stock.copy', { warehouse_code: 'SYD', version, state: `s${version}` })
      }),
    ).toEqual(['version-back A in SYD', 'version-back SYD at 1'])
  })

  it('the lost update of a release of a hold', () => {
    const record = (left: number) => (recorder: HistoryRecorder) => {
      open(recorder, 'A', 10)
      recorder.begin('a', 'hold.place', { order: '1', lines: lines('A', 5) })(ok)
      const hold = recorder.begin('b', 'hold.place', { order: '2', lines: lines('A', 3) })
      recorder.begin('a', 'hold.release', { order: '1' })(ok)
      hold(ok)
      recorder.begin('b', 'order.submit', { order: '2', lines: lines('A', 3) })(ok)
      closeBooks(recorder, { 2: ['A', 3] }, { A: left })
    }
    expect(findAnomalies(record(7))).toEqual([])
    expect(findAnomalies(record(2))).toEqual(['stock A'])
    const update = { reads: [row('SYD', 1, 9)] }
    expect(
      findAnomalies((recorder) => {
        recorder.begin('a', 'stock.write', { ...update, writes: [row('SYD', 2, 4)] })(ok)
        recorder.begin('b', 'stock.write', { ...update, writes: [row('SYD', 3, 8)] })(ok)
      }),
    ).toContain('lost-update A in SYD at 1')
  })

  it('an event out of order', () => {
    const record = (ordered: boolean) => (recorder: HistoryRecorder) => {
      const [first, second] = [event('e1', 'SYD', 1), event('e2', 'SYD', 2)]
      for (const each of [first, second]) recorder.observe('feed', 'event.committed', each)
      for (const each of [second, first, second])
        recorder.observe('inbox', 'event.received', { ...each, ordered })
    }
    expect(findAnomalies(record(true))).toEqual(['event-order inbox'])
    expect(findAnomalies(record(false))).toEqual([])
  })

  it('an event that is missing, in an empty inbox, too', () => {
    expect(
      findAnomalies((recorder) => {
        recorder.observe('inbox', 'inbox.opened', {})
        recorder.observe('feed', 'event.committed', event('e1', 'SYD', 1))
      }),
    ).toEqual(['event-missing inbox'])
  })

  it('a change of a warehouse that no event announces, written or copied', () => {
    const announce = (version: number) => (recorder: HistoryRecorder) => {
      recorder.observe('feed', 'event.committed', event('e1', 'SYD', version))
      recorder.observe('feed', 'stock.announced', { warehouse_code: 'SYD' })
    }
    const write = (recorder: HistoryRecorder) =>
      recorder.begin('database', 'stock.write', { writes: [row('SYD', 7, 3)] })(ok)
    const copy = (...versions: number[]) => {
      return (recorder: HistoryRecorder) => {
        for (const version of versions)
          recorder.observe('a', 'stock.copy', { warehouse_code: 'SYD', version, state: `s${version}` })
      }
    }
    const find = (...parts: ((recorder: HistoryRecorder) => void)[]) =>
      findAnomalies((recorder) => {
        for (const part of parts) part(recorder)
      })
    expect(find(write, announce(6))).toEqual(['event-missing the feed'])
    expect(find(write, announce(7))).toEqual([])
    expect(find(copy(5, 7), announce(6))).toEqual(['event-missing the feed'])
    expect(find(copy(5, 7), announce(7))).toEqual([])
    expect(find(copy(7), announce(6))).toEqual([])
  })

  it('a feed whose versions fall, and an event that was never committed', () => {
    expect(
      findAnomalies((recorder) => {
        recorder.observe('feed', 'event.committed', event('e2', 'SYD', 2))
        recorder.observe('feed', 'event.committed', event('e1', 'SYD', 1))
      }),
    ).toEqual(['event-order SYD'])
    expect(
      findAnomalies((recorder) => {
        recorder.observe('inbox', 'event.received', { ...event('e1', 'SYD', 1), ordered: true })
      }),
    ).toEqual(['event-untrue inbox'])
  })

  it('that no order has its event', () => {
    expect(
      findAnomalies((recorder) => {
        recorder.observe('inbox', 'inbox.opened', {})
        submit(recorder, '1', 2)(ok)
      }),
    ).toEqual(['event-untrue 1'])
  })

  it('a hold that ended before its time, but not one that ended after it', () => {
    const holdAndSell = (recorder: HistoryRecorder, hasJumped: boolean) => {
      open(recorder, 'A', 5)
      recorder.begin('buyer', 'hold.place', { order: '1', lines: lines('A', 5) })(ok)
      if (hasJumped) recorder.observe('world', 'time.jumped', {})
      submit(recorder, '2', 5)(ok)
      if (!hasJumped) recorder.observe('world', 'time.jumped', {})
      closeBooks(recorder, { 2: ['A', 5] }, { A: 0 })
    }
    expect(findAnomalies((recorder) => holdAndSell(recorder, false))).toEqual(['stock A'])
    expect(findAnomalies((recorder) => holdAndSell(recorder, true))).toEqual([])
  })

  it.each(['hold.release', 'order.void', 'order.submit'] as const)(
    'a hold that held nothing until %s',
    (operation) => {
      const record = (isSoldAfter: boolean) => (recorder: HistoryRecorder) => {
        open(recorder, 'A', 5)
        recorder.begin('a', 'hold.place', { order: '1', lines: lines('A', 5) })(ok)
        const sell = () => submit(recorder, '2', 5)(ok)
        if (!isSoldAfter) sell()
        const end = recorder.begin('a', operation, { order: '1', lines: lines('A', 5) })
        if (isSoldAfter) sell()
        end(operation === 'order.submit' ? refused : ok)
        closeBooks(recorder, { 2: ['A', 5] }, { A: 0 })
      }
      expect(findAnomalies(record(false))).toEqual(['stock A'])
      expect(findAnomalies(record(true))).toEqual([])
    },
  )

  it('an order that was refused for want of stock while its hold lasted', () => {
    const record = (reason: string, between: (recorder: HistoryRecorder) => void) =>
      findAnomalies((recorder) => {
        open(recorder, 'A', 5)
        recorder.begin('a', 'hold.place', { order: '1', lines: lines('A', 5) })(ok)
        between(recorder)
        submit(recorder, '1', 5)({ type: 'refused', output: reason })
        closeBooks(recorder, {}, { A: 5 })
      })
    for (const reason of ['insufficient_stock', 'hold_expired'])
      expect(record(reason, () => {})).toEqual(['hold 1'])
    expect(record('price_changed', () => {})).toEqual([])
    expect(record('hold_expired', (recorder) => recorder.observe('world', 'time.jumped', {}))).toEqual([])
    const release = (recorder: HistoryRecorder) =>
      recorder.begin('a', 'hold.release', { order: '1' })(unknown)
    expect(record('hold_expired', release)).toEqual([])
    expect(record('hold_expired', (recorder) => recorder.observe('db', 'database.restored', {}))).toEqual([])
  })

  it('a SKU that was sold and that the ERP never had', () => {
    expect(
      findAnomalies((recorder) => {
        open(recorder, 'B', 5)
        submit(recorder, '1', 2)(ok)
      }),
    ).toEqual(['stock A'])
  })

  it('documents of the books that nobody recorded', () => {
    expect(findAnomalies((recorder) => void recorder.observe('erp', 'erp.books', { documents: 2 }))).toEqual([
      'lost the books',
    ])
  })

  it('a dirty read of a refused order', () => {
    expect(
      findAnomalies((recorder) => {
        const placing = submit(recorder, '1', 1)
        recorder.begin('other', 'order.read', { order: '1' })({ type: 'ok', output: { status: 'confirmed' } })
        placing(refused)
      }),
    ).toEqual(['order 1'])
    expect(
      findAnomalies((recorder) => {
        recorder.begin('a', 'stock.write', { writes: [row('SYD', 2, 4)] })(refused)
        recorder.begin('b', 'stock.read')({ type: 'ok', output: { rows: [row('SYD', 2, 4)] } })
      }),
    ).toEqual(['G1a A in SYD at 2'])
  })

  it('read skew across warehouses', () => {
    expect(
      findAnomalies((recorder) => {
        recorder.begin('a', 'stock.write', { writes: [row('SYD', 1, 9), row('MEL', 1, 9)] })(ok)
        const moving = recorder.begin('a', 'stock.write', { writes: [row('SYD', 2, 4), row('MEL', 2, 14)] })
        recorder.begin(
          'b',
          'stock.read',
        )({
          type: 'ok',
          output: { rows: [row('SYD', 1, 9), row('MEL', 2, 14)] },
        })
        moving(ok)
      }),
    ).toEqual(['G-single A in SYD, A in MEL'])
  })
})

describe('the checker also finds', () => {
  it('a document of a refused or an unknown order, and other lines', () => {
    expect(
      findAnomalies((recorder) => {
        submit(recorder, '1', 1)(refused)
        submit(recorder, '3', 1)(ok)
        closeBooks(recorder, { 1: ['A', 1], 2: ['A', 1], 3: ['A', 2] }, {})
      }),
    ).toEqual(['order 1', 'order 3', 'order 2'])
  })

  it('a voided order that is live', () => {
    expect(
      findAnomalies((recorder) => {
        submit(recorder, '1', 1)(ok)
        recorder.begin('buyer', 'order.void', { order: '1' })(ok)
        closeBooks(recorder, { 1: ['A', 1] }, {})
      }),
    ).toEqual(['order 1'])
  })

  it('circles of writes (G0), of writes and reads (G1c), intermediate reads (G1b) and write skew (G2)', () => {
    const [x, y] = ['SYD', 'MEL']
    const write = (
      recorder: HistoryRecorder,
      client: string,
      rows: { readonly reads?: ReturnType<typeof row>[]; readonly writes: ReturnType<typeof row>[] },
    ) => recorder.begin(client, 'stock.write', rows)(ok)
    expect(
      findAnomalies((recorder) => {
        write(recorder, 'a', { writes: [row(x, 1, 1), row(y, 2, 1)] })
        write(recorder, 'b', { writes: [row(x, 2, 2), row(y, 1, 2)] })
      }),
    ).toContainEqual(expect.stringMatching(/^G0 /))
    expect(
      findAnomalies((recorder) => {
        write(recorder, 'a', { reads: [row(y, 1, 2)], writes: [row(x, 1, 1)] })
        write(recorder, 'b', { reads: [row(x, 1, 1)], writes: [row(y, 1, 2)] })
      }),
    ).toContainEqual(expect.stringMatching(/^G1c /))
    expect(
      findAnomalies((recorder) => {
        write(recorder, 'a', { writes: [row(x, 1, 1), row(x, 2, 2)] })
        recorder.begin('b', 'stock.read')({ type: 'ok', output: { rows: [row(x, 1, 1)] } })
      }),
    ).toContain('G1b A in SYD at 1')
    expect(
      findAnomalies((recorder) => {
        const reads = [row(x, 0, 5), row(y, 0, 5)]
        write(recorder, 'a', { reads, writes: [row(x, 1, 0)] })
        write(recorder, 'b', { reads, writes: [row(y, 1, 0)] })
      }),
    ).toContainEqual(expect.stringMatching(/^G2 /))
  })

  it('in a restored database, an event that came again and an order with two events, but no lost event', () => {
    const created = (event_id: string, subject: string) => ({
      ...{ event_id, type: 'order.created', subject, version: 0 },
    })
    const record = (committed: readonly ReturnType<typeof created>[]) =>
      findAnomalies((recorder) => {
        for (const order of ['1', '2']) submit(recorder, order, 1)(ok)
        recorder.observe('feed', 'database.restored', {})
        const lost = created('lost', '1')
        recorder.observe('feed', 'event.lost', lost)
        for (const each of committed) recorder.observe('feed', 'event.committed', each)
        for (const each of [lost, ...committed])
          recorder.observe('inbox', 'event.received', { ...each, ordered: true })
      })
    expect(record([])).toEqual([])
    expect(record([created('again', '1'), created('unnamed', '')])).toEqual([])
    expect(record([created('lost', '1')])).toEqual(['event-untrue lost'])
    expect(record([created('one', '2'), created('two', '2')])).toEqual(['event-untrue 2'])
  })

  it('a version with two values or two states, and events for orders that were not placed', () => {
    expect(
      findAnomalies((recorder) => {
        for (const [client, quantity] of [
          ['a', 3],
          ['b', 4],
        ] as const) {
          const rows = [row('SYD', 1, quantity)]
          recorder.begin(client, 'stock.read')({ type: 'ok', output: { rows } })
          const state = String(quantity)
          recorder.observe(client, 'stock.copy', { warehouse_code: 'SYD', version: 1, state })
        }
        submit(recorder, '1', 1)(refused)
        const untrue = { event_id: 'e1', type: 'order.created', subject: '1', version: 0 }
        recorder.observe('feed', 'event.committed', untrue)
      }),
    ).toEqual(['two-values A in SYD at 1', 'two-values SYD at 1', 'event-untrue 1'])
  })
})

describe('the checker finds nothing', () => {
  it('in concurrent orders with unknown outcomes, of which the books have some', () => {
    expect(
      findAnomalies((recorder) => {
        open(recorder, 'A', 6)
        const ends = ['1', '2', '3', '4'].map((order) => submit(recorder, order, 3))
        ends[0]?.(ok)
        ends[1]?.(unknown)
        ends[2]?.(refused)
        recorder.begin('buyer', 'order.void', { order: '1' })(ok)
        submit(recorder, '5', 3)(ok)
        recorder.observe('erp', 'erp.order', {
          ...{ order: '1', document: 'doc-1', status: 'cancelled' as const },
          lines: lines('A', 3),
        })
        closeBooks(recorder, { 2: ['A', 3], 5: ['A', 3] }, { A: 0 }, 1)
      }),
    ).toEqual([])
  })

  it('in a hold that ended by itself, and in movements of the ERP without a response', () => {
    const record = (left: number) =>
      findAnomalies((recorder) => {
        open(recorder, 'A', 5)
        recorder.begin('a', 'hold.place', { order: '1', lines: lines('A', 5) })(ok)
        recorder.begin('a', 'order.submit', { order: '1', lines: lines('A', 5) })(refused)
        recorder.begin('erp', 'erp.move', { sku: 'A', quantity: 2 })(unknown)
        recorder.begin('erp', 'erp.move', { sku: 'A', quantity: 1 })(ok)
        closeBooks(recorder, {}, { A: left })
      })
    expect([record(6), record(8), record(7)]).toEqual([[], [], ['stock A']])
  })

  it('in a busy SKU with 500 orders, 16 of them at once, and finds one unit that is gone there', () => {
    const record = (missing: number) =>
      checkHistory(
        historyOf((recorder) => {
          open(recorder, 'A', 1_000)
          const running: (() => void)[] = []
          for (let number = 1; number <= 500; number++) {
            const end = submit(recorder, String(number), 2)
            running.push(() => end(number % 50 === 0 ? unknown : ok))
            if (running.length === 16) running.shift()?.()
          }
          for (const end of running) end()
          const orders = Object.fromEntries(
            Array.from({ length: 500 }, (_, index) => [String(index + 1), ['A', 2] as const]),
          )
          closeBooks(recorder, orders, { A: 0 - missing })
        }),
      ).violations.map(({ anomaly }) => anomaly)
    expect(record(0)).toEqual([])
    expect(record(1)).toHaveLength(1)
  })
})

describe('a witness', () => {
  it('is the shortest beginning that cannot be explained', () => {
    const { violations } = checkHistory(
      historyOf((recorder) => {
        open(recorder, 'A', 5)
        submit(recorder, '1', 3)(ok)
        submit(recorder, '2', 3)(ok)
        submit(recorder, '3', 1)(ok)
      }),
    )
    expect(violations[0]?.witness).toEqual([
      'lines 2–3: buyer order.submit {"order":"1","lines":[{"sku":"A","quantity":3}]}: ok',
      'lines 4–5: buyer order.submit {"order":"2","lines":[{"sku":"A","quantity":3}]}: ok',
    ])
  })
})

describe('many movements whose outcome nobody knows', () => {
  const move = (recorder: HistoryRecorder, quantity: number) =>
    recorder.begin('mover', 'erp.move', { sku: 'A', quantity })
  const check = (left: number) =>
    findAnomalies((recorder) => {
      open(recorder, 'A', 1_000)
      for (let turn = 0; turn < 400; turn++) move(recorder, 1)(ok)
      for (let turn = 0; turn < 30; turn++) move(recorder, 1 + (turn % 5))(unknown)
      for (let turn = 0; turn < 400; turn++) move(recorder, 2)(ok)
      recorder.observe('erp', 'erp.stock', { sku: 'A', available: left })
    })

  it('are decided: some of them explain what is left, or none can', () => {
    expect(check(2_200)).toEqual([])
    expect(check(2_200 + 89)).toEqual([])
    expect(check(2_200 + 91)).toEqual(['stock A'])
    expect(check(2_199)).toEqual(['stock A'])
  })
})
