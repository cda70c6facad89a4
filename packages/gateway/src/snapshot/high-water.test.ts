import { appendFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { HighWater } from './high-water.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'high-water-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const fileOf = (port: number) => join(folder, `high-water-${port}.json`)

describe('the newest versions that were answered', () => {
  it('are known to the next process, the highest of all files', () => {
    const first = new HighWater(fileOf(1))
    first.record('AUSYD1', 7)
    first.record('CHNZJ1', 3)
    first.record('AUSYD1', 9)
    const beside = new HighWater(fileOf(2))
    beside.record('CHNZJ1', 5)
    const next = new HighWater(fileOf(1))
    expect([next.newestOf('AUSYD1'), next.newestOf('CHNZJ1'), next.newestOf('none')]).toEqual([9, 5, 0])
  })

  it('lose nothing but a line that was cut short, also where notes go on behind it', () => {
    new HighWater(fileOf(1)).record('AUSYD1', 7)
    appendFileSync(fileOf(1), '{"AUSYD1":1')
    const next = new HighWater(fileOf(1))
    expect(next.newestOf('AUSYD1')).toBe(7)
    next.record('CHNZJ1', 3)
    const last = new HighWater(fileOf(1))
    expect([last.newestOf('AUSYD1'), last.newestOf('CHNZJ1')]).toEqual([7, 3])
  })

  it('are kept by processes that share one file, also while one of them begins it anew', () => {
    const first = new HighWater(fileOf(1))
    const second = new HighWater(fileOf(1))
    first.record('AUSYD1', 50)
    second.record('CHNZJ1', 11)
    first.record('AUSYD1', 51)
    second.record('CHNZJ1', 12)
    const next = new HighWater(fileOf(1))
    expect([next.newestOf('AUSYD1'), next.newestOf('CHNZJ1')]).toEqual([51, 12])
  })

  it('lose nothing to a disk that was full for a while', () => {
    const noted = new HighWater(fileOf(1))
    noted.record('AUSYD1', 7)
    rmSync(fileOf(1))
    mkdirSync(fileOf(1))
    expect(() => noted.record('AUSYD1', 8)).toThrow(/EISDIR/)
    rmSync(fileOf(1), { recursive: true })
    noted.record('AUSYD1', 9)
    expect(new HighWater(fileOf(1)).newestOf('AUSYD1')).toBe(9)
  })

  it('are read from a file of the former kind and from one that holds rubbish', () => {
    writeFileSync(fileOf(1), '{"AUSYD1":7,"CHNZJ1":3}\n')
    writeFileSync(fileOf(2), 'null\n[1]\n{"AUSYD1":"9"}\nrubbish')
    const read = new HighWater(fileOf(3))
    expect([read.newestOf('AUSYD1'), read.newestOf('CHNZJ1')]).toEqual([7, 3])
  })

  it('stay in a small file, whatever is noted', () => {
    const noted = new HighWater(fileOf(1))
    for (let version = 1; version <= 20_000; version++) noted.record('AUSYD1', version)
    expect(statSync(fileOf(1)).size).toBeLessThan(70_000)
    expect(new HighWater(fileOf(1)).newestOf('AUSYD1')).toBe(20_000)
  })
})
