import { describe, expect, it } from 'vitest'
import { findUnusable, toSelection } from './selection.ts'

describe('the selection of a redelivery', () => {
  it('has each filter of the list that the API can apply', () => {
    const filters = { channel_code: 'corner-shop', type: 'order.created', until: '2026-11-23T03:26:00.000Z' }
    expect(toSelection('dead', filters)).toEqual({ which: 'dead', ...filters })
    expect(findUnusable(filters)).toEqual([])
  })

  it.each([
    [{ type: 'webhook.test' }, 'type = webhook.test'],
    [{ event_id: 'evt_1' }, 'event_id = evt_1'],
    [{ status: 'delivered' }, 'status = delivered'],
  ])('cannot have %o, and says so', (filters, words) => {
    expect(toSelection('all', filters)).toEqual({ which: 'all' })
    expect(findUnusable(filters)).toEqual([words])
  })
})
