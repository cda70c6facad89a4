import { mkdtemp, readdir, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UsageError } from '@trade-gateway/connector-kit/command-line'
import { describe, expect, it } from 'vitest'
import { startHistory } from '../src/judged-history.ts'
import { countFaults, readOptions } from '../src/soak/options.ts'
import { judgeWatch, type Sample } from '../src/soak/watch.ts'

describe('the options of a soak', () => {
  it('are two hours with a kill each minute but the last', () => {
    const options = readOptions([])
    if (options === 'usage') throw new Error('no options')
    expect(options).toMatchObject({ soak_ms: 7_200_000, every_ms: 60_000 })
    expect(countFaults(options)).toBe(119)
  })

  it.each([
    [['--hours', '0'], /--hours must be a number from 0\.017/],
    [['--hours', 'long'], /not "long"/],
    [['--hours', '999']],
    [['--every', '1'], /--every must be a whole number/],
    [['--report', ''], /--report must be the name of a file, not ""/],
    [['--report', tmpdir()], /--report cannot write ".*": it is a folder/],
    [['--history', '/missing/h'], /--history cannot write "\/missing\/h": there is no folder "\/missing"/],
    [
      ['--report', '/tmp/same', '--history', '/tmp/./same'],
      /--report and --history cannot both write "\/tmp\/.\/same"/,
    ],
  ])('are refused with a sentence: %j', (args, message = /--hours/) => {
    expect(() => readOptions(args)).toThrow(UsageError)
    expect(() => readOptions(args)).toThrow(message)
  })
})

describe('the history of a soak', () => {
  const read = (...args: string[]) => {
    const options = readOptions(args)
    if (options === 'usage') throw new Error('no options')
    return options.history
  }

  it('is judged in a run of the usual length, and not in one that may write more than the checker reads', () => {
    expect(read()).toBe(undefined)
    expect(read('--hours', '2')).toBe(undefined)
    expect(read('--hours', '24')).toBe(null)
    expect(read('--hours', '2', '--buyers', '8')).toBe(null)
  })

  it('is kept only as long as the checker can read it', () => {
    expect(read('--hours', '2', '--history', '/dev/null')).toBe('/dev/null')
    expect(() => read('--hours', '24', '--history', '/dev/null')).toThrow(UsageError)
    expect(() => read('--hours', '24', '--history', '/dev/null')).toThrow(
      /^--history is limited to 2\.2 hours with 4 buyers, not 24, because .* at most 3,000,000 lines\. Choose/,
    )
  })

  it('is not written if nobody could judge it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'soak-history-'))
    const { recorder, judge } = startHistory(null, folder)
    recorder.observe('erp', 'erp.opening', { sku: 'A', quantity: 1 })
    expect(await judge()).toEqual([])
    expect(await readdir(folder)).toEqual([])
    await rmdir(folder)
  })
})

describe('the judgement of the spared gateway', () => {
  const soakMs = 400_000
  /** One sample a second. */
  const sample = (valueAt: (share: number) => number): Sample[] =>
    Array.from({ length: 400 }, (_, second) => ({ at_ms: second * 1_000, value: valueAt(second / 400) }))
  const judge = (memory: Sample[], reads: Sample[]) =>
    judgeWatch({ memory, reads }, soakMs).findings.map(({ kind }) => kind)
  const flat = sample(() => 100)

  it('finds nothing if memory and reads stay as they are, whatever the start took', () => {
    expect(judge(flat, flat)).toEqual([])
    expect(
      judge(
        sample((share) => (share < 0.25 ? 50 : 100)),
        flat,
      ),
    ).toEqual([])
    expect(
      judge(
        sample((share) => 100 + share * 4),
        flat,
      ),
    ).toEqual([])
  })

  it('finds memory that grows by more than a twentieth from the second quarter to the last', () => {
    expect(
      judge(
        sample((share) => 100 + share * 20),
        flat,
      ),
    ).toEqual(['grew'])
  })

  it('finds reads whose slowest become slower, and no single slow one', () => {
    const once = flat.with(390, { at_ms: 390_000, value: 5_000 })
    expect(judge(flat, once)).toEqual([])
    const oftenSlow = flat.map((each, at) => (at > 200 && at % 20 === 0 ? { ...each, value: 200 } : each))
    expect(judge(flat, oftenSlow)).toEqual(['slowed'])
  })

  it('finds both if nothing was measured', () => {
    expect(judge([], [])).toEqual(['grew', 'slowed'])
  })
})
