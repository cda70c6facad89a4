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
    expect(labels(channels, { typed: '' })).toEqual([
      ['kr-mall', 'Seoul Mall · kr-mall'],
      ['corner', 'corner'],
    ])
  })

  it('keep a chosen code that the list does not have, once', () => {
    expect(labels([], { chosen: 'gone', typed: 'gone' })).toEqual([['gone', 'gone']])
    expect(labels(channels, { chosen: 'corner', typed: 'corner' })).toHaveLength(2)
  })

  it('take a typed code that the list does not have, such as that of a deleted channel', () => {
    const codes = (typed: string) => labels(channels, { typed }).map(([value]) => value)
    expect(codes('corn')).toEqual(['kr-mall', 'corner', 'corn'])
    expect(codes('corner')).toEqual(['kr-mall', 'corner'])
    expect(codes('Seoul Mall · kr-mall')).toEqual(['kr-mall', 'corner'])
    expect(codes('no code')).toEqual(['kr-mall', 'corner'])
  })
})
