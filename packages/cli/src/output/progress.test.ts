import { describe, expect, it } from 'vitest'
import { Output } from './output.ts'
import { Progress } from './progress.ts'

function show({ isTTY, isSilent = false }: { readonly isTTY: boolean; readonly isSilent?: boolean }) {
  const written: string[] = []
  const sink = {
    isTTY,
    columns: 60,
    write(text: string | Uint8Array, done: () => void) {
      written.push(String(text))
      done()
      return true
    },
    on: () => {},
  }
  let now = 0
  const progress = new Progress(new Output(sink), { isSilent, now: () => now })
  for (let step = 1; step <= 20; step++) {
    now += 500
    progress.show({ label: 'AUSYD1', done: step * 500, total: isTTY ? 10_000 : undefined, unit: 'rows' })
  }
  progress.clear()
  return written
}

describe('the progress of a download', () => {
  it('is a bar on a terminal, which is erased at the end and never wraps', () => {
    const written = show({ isTTY: true })
    expect(written[9]).toBe('\r\u001b[KAUSYD1 ██████████░░░░░░░░░░ 50% 5000/10000 rows · 1.0k/s · ')
    expect(written).toHaveLength(21)
    expect(written.at(-1)).toBe('\r\u001b[K')
  })

  it('is a plain line now and then elsewhere', () => {
    expect(show({ isTTY: false })).toEqual(['AUSYD1 5000 rows · 1.0k/s\n', 'AUSYD1 10000 rows · 1.0k/s\n'])
  })

  it('is nothing with --quiet', () => {
    expect(show({ isTTY: true, isSilent: true })).toEqual([])
  })
})
