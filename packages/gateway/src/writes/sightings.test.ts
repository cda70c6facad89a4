import { describe, expect, it } from 'vitest'
import type { Gateway } from '../gateway.ts'
import { recordSighting } from './sightings.ts'

/** A gateway with a memory of its own, whose monotonic clock the test sets. */
function createProcess() {
  const clock = { at: 0, monotonic: () => clock.at }
  return { clock, gateway: { clock, memory: {} } as unknown as Gateway }
}

const write = { document_id: 'ord_1', kind: 'order.submit', reference: 'TG1', sent_at: 5 }

describe('the sighting of an open write', () => {
  it('begins when this process first sees the write, and remembers what is noted in it', () => {
    const { clock, gateway } = createProcess()
    clock.at = 100
    const first = recordSighting(gateway, write)
    expect(first).toEqual({ since: 100, missedAt: undefined, isUnsent: false })
    first.isUnsent = true
    first.missedAt = 150
    clock.at = 200
    expect(recordSighting(gateway, { ...write })).toEqual({ since: 100, missedAt: 150, isUnsent: true })
  })

  it('is not the one of another write, nor the one of another process', () => {
    const { clock, gateway } = createProcess()
    recordSighting(gateway, write).isUnsent = true
    clock.at = 300
    const others = [
      { ...write, document_id: 'ord_2' },
      { ...write, kind: 'order.void' },
      { ...write, reference: 'TG2' },
      { ...write, sent_at: 6 },
    ]
    for (const other of others)
      expect(recordSighting(gateway, other)).toMatchObject({ since: 300, isUnsent: false })
    expect(recordSighting(gateway, write)).toMatchObject({ since: 0, isUnsent: true })
    expect(recordSighting(createProcess().gateway, write)).toMatchObject({ isUnsent: false })
  })
})
