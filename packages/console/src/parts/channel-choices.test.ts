import { describe, expect, it } from 'vitest'
import { toChannelChoices } from './channel-choices.ts'

const channels = [
  { channel_code: 'kr-mall', name: 'Seoul Mall' },
  { channel_code: 'corner', name: 'corner' },
]
const labels = (...given: Parameters<typeof toChannelChoices>) =>
  toChannelChoices(...given).map(({ value, label }) => [value, label])

describe('the choices of a channel filter', () => {
  it('name each channel and its code, so that either finds it', () => {
    expect(labels(channels, { typed: '', areAllKnown: true })).toEqual([
      ['kr-mall', 'Seoul Mall · kr-mall'],
      ['corner', 'corner'],
    ])
  })

  it('keep a chosen code that the list does not have, once', () => {
    const chosen = { chosen: 'gone', typed: 'gone', areAllKnown: false }
    expect(labels([], chosen)).toEqual([['gone', 'gone']])
    expect(labels(channels, { chosen: 'corner', typed: 'corner', areAllKnown: false })).toHaveLength(2)
  })

  it('take a typed code only where there are more channels than were read', () => {
    expect(labels([], { typed: 'far-away', areAllKnown: false })).toEqual([['far-away', 'far-away']])
    expect(labels([], { typed: 'far-away', areAllKnown: true })).toEqual([])
    expect(labels([], { typed: 'Far away', areAllKnown: false })).toEqual([])
  })
})
