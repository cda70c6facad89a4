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
    first.note('AUSYD1', 7)
    first.note('CHNZJ1', 3)
    first.note('AUSYD1', 9)
    const beside = new HighWater(fileOf(2))
    beside.note('CHNZJ1', 5)
    const next = new HighWater(fileOf(1))
    expect([next.of('AUSYD1'), next.of('CHNZJ1'), next.of('none')]).toEqual([9, 5, 0])
  })

  it('lose nothing but a line that was cut short, also where notes go on behind it', () => {
    new HighWater(fileOf(1)).note('AUSYD1', 7)
    appendFileSync(fileOf(1), '{"AUSYD1":1')
    const next = new HighWater(fileOf(1))
    expect(next.of('AUSYD1')).toBe(7)
    next.note('CHNZJ1', 3)
    const last = new HighWater(fileOf(1))
    expect([last.of('AUSYD1'), last.of('CHNZJ1')]).toEqual([7, 3])
  })

  it('are kept by processes that share one file, also while one of them begins it anew', () => {
    const first = new HighWater(fileOf(1))
    const second = new HighWater(fileOf(1))
    first.note('AUSYD1', 50)
    second.note('CHNZJ1', 11)
    first.note('AUSYD1', 51)
    second.note('CHNZJ1', 12)
    const next = new HighWater(fileOf(1))
    expect([next.of('AUSYD1'), next.of('CHNZJ1')]).toEqual([51, 12])
  })

  it('lose nothing to a disk that was full for a while', () => {
    const noted = new HighWater(fileOf(1))
    noted.note('AUSYD1', 7)
    rmSync(fileOf(1))
    mkdirSync(fileOf(1))
    expect(() => noted.note('AUSYD1', 8)).toThrow(/EISDIR/)
    rmSync(fileOf(1), { recursive: true })
    noted.note('AUSYD1', 9)
    expect(new HighWater(fileOf(1)).of('AUSYD1')).toBe(9)
  })

  it('are read from a file of the former kind and from one that holds rubbish', () => {
    writeFileSync(fileOf(1), '{"AUSYD1":7,"CHNZJ1":3}\n')
    writeFileSync(fileOf(2), 'null\n[1]\n{"AUSYD1":"9"}\nrubbish')
    const read = new HighWater(fileOf(3))
    expect([read.of('AUSYD1'), read.of('CHNZJ1')]).toEqual([7, 3])
  })

  it('stay in a small file, whatever is noted', () => {
    const noted = new HighWater(fileOf(1))
    for (let version = 1; version <= 20_000; version++) noted.note('AUSYD1', version)
    expect(statSync(fileOf(1)).size).toBeLessThan(70_000)
    expect(new HighWater(fileOf(1)).of('AUSYD1')).toBe(20_000)
  })
})
