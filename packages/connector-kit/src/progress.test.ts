import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { Progress } from './progress.ts'

function openOutput(isTTY: boolean) {
  const written: string[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk))
      done()
    },
  })
  return { written, output: Object.assign(stream, { isTTY }) }
}

describe('the progress of a long command', () => {
  it('is a line for each quarter where there is no terminal', () => {
    const { written, output } = openOutput(false)
    const progress = new Progress(output)
    progress.beginStep('seeds 1 to 10')
    for (let ran = 1; ran <= 10; ran++) progress.showShare(ran / 10, `${ran} seeds`)
    progress.end()
    expect(written).toEqual([
      'seeds 1 to 10\n',
      '  30 %: 3 seeds\n',
      '  50 %: 5 seeds\n',
      '  80 %: 8 seeds\n',
      '  100 %: 10 seeds\n',
    ])
  })

  it('is a line each minute within a quarter that takes long', () => {
    let now = 0
    const { written, output } = openOutput(false)
    const progress = new Progress(output, () => now)
    progress.beginStep('seeds 1 to 1000')
    for (let minute = 0.5; minute <= 2; minute += 0.5) {
      now = minute * 60_000
      progress.showShare(minute / 1000, `after ${minute}`)
    }
    expect(written).toEqual(['seeds 1 to 1000\n', '  0 %: after 1\n', '  0 %: after 2\n'])
  })

  it('is one line on a terminal, which is written over and removed', () => {
    let now = 0
    const { written, output } = openOutput(true)
    const progress = new Progress(output, () => now)
    progress.beginStep('seeds 1 to 2')
    now = 1_000
    progress.showShare(0.5, '1 seed')
    now = 1_001
    progress.showShare(1, '2 seeds')
    progress.end()
    expect(written).toEqual([
      '\r\x1b[K',
      'seeds 1 to 2\n',
      `\r\x1b[K[${'#'.repeat(15)}${'.'.repeat(15)}] 1 seed`,
      '\r\x1b[K',
    ])
  })
})
