import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { HistoryRecorder } from '../../simulator/src/history/recorder.ts'
import { startHistory } from '../src/judged-history.ts'

const lines = [{ sku: 'A', quantity: 1 }]

async function judge(record: (recorder: HistoryRecorder) => void) {
  const folder = await mkdtemp(join(tmpdir(), 'trade-gateway-history-'))
  try {
    const history = startHistory(undefined, folder)
    record(history.recorder)
    return (await history.judge()).map(({ subject, story }) => `${subject}: ${story}`)
  } finally {
    await rm(folder, { recursive: true })
  }
}

function recordOrder(recorder: HistoryRecorder) {
  recorder.begin('buyer', 'order.submit', { order: '1', lines })({ type: 'ok' })
}

function recordRest(recorder: HistoryRecorder) {
  recorder.observe('erp', 'erp.opening', { sku: 'A', quantity: 1 })
  recorder.observe('follower', 'stock.copy', { warehouse_code: 'SYD', version: 1, state: 'a' })
  recorder.observe('feed', 'event.committed', {
    ...{ event_id: 'e1', type: 'order.created', subject: '1', version: 0 },
  })
}

it('is refused if orders succeeded and nothing else was recorded that could contradict them', async () => {
  expect(await judge(recordOrder)).toEqual([
    'the history: 1 submits succeeded, and it has 0 SKUs, 0 events and 0 copies of stock to judge',
  ])
  const whole = await judge((recorder) => {
    recordRest(recorder)
    recordOrder(recorder)
  })
  expect(whole).toEqual([])
  expect(await judge(() => {})).toEqual([])
})
