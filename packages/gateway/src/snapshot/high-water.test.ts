import { appendFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { jsonLog } from '../kernel/log.ts'
import { HighWater } from './high-water.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'high-water-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const toFilePath = (port: number) => join(folder, `high-water-${port}.json`)

describe('the newest versions that were answered', () => {
  it('are known to the next process, the highest of all files', () => {
    const first = new HighWater(toFilePath(1))
    first.record('AUSYD1', 7)
    first.record('CHNZJ1', 3)
    first.record('AUSYD1', 9)
    const beside = new HighWater(toFilePath(2))
    beside.record('CHNZJ1', 5)
    const next = new HighWater(toFilePath(1))
    expect([next.findNewest('AUSYD1'), next.findNewest('CHNZJ1'), next.findNewest('none')]).toEqual([9, 5, 0])
  })

  it('lose nothing but a line that was cut short, also where notes go on behind it', () => {
    new HighWater(toFilePath(1)).record('AUSYD1', 7)
    appendFileSync(toFilePath(1), '{"AUSYD1":1')
    const next = new HighWater(toFilePath(1))
    expect(next.findNewest('AUSYD1')).toBe(7)
    next.record('CHNZJ1', 3)
    const last = new HighWater(toFilePath(1))
    expect([last.findNewest('AUSYD1'), last.findNewest('CHNZJ1')]).toEqual([7, 3])
  })

  it('are kept by processes that share one file, also while one of them begins it anew', () => {
    const first = new HighWater(toFilePath(1))
    const second = new HighWater(toFilePath(1))
    first.record('AUSYD1', 50)
    second.record('CHNZJ1', 11)
    first.record('AUSYD1', 51)
    second.record('CHNZJ1', 12)
    const next = new HighWater(toFilePath(1))
    expect([next.findNewest('AUSYD1'), next.findNewest('CHNZJ1')]).toEqual([51, 12])
  })

  it('are noted later if the disk was full for a while, and the log says so once', () => {
    const lines: string[] = []
    const keep = (_fields: object, message: string) => void lines.push(message)
    const noted = new HighWater(toFilePath(1), { ...jsonLog('silent'), error: keep, info: keep })
    noted.record('AUSYD1', 7)
    rmSync(toFilePath(1))
    mkdirSync(toFilePath(1))
    for (const version of [8, 9]) noted.record('AUSYD1', version)
    noted.record('CHNZJ1', 3)
    noted.retry()
    expect(noted.findNewest('AUSYD1')).toBe(9)
    rmSync(toFilePath(1), { recursive: true })
    noted.retry()
    const next = new HighWater(toFilePath(1))
    expect([next.findNewest('AUSYD1'), next.findNewest('CHNZJ1')]).toEqual([9, 3])
    noted.record('AUSYD1', 10)
    expect(lines).toEqual([
      'the versions of the stock cannot be noted in DATA_DIR; the stock goes on',
      'the versions of the stock are noted in DATA_DIR again',
    ])
  })

  it('are read from a file of the former kind and from one that holds rubbish', () => {
    writeFileSync(toFilePath(1), '{"AUSYD1":7,"CHNZJ1":3}\n')
    writeFileSync(toFilePath(2), 'null\n[1]\n{"AUSYD1":"9"}\nrubbish')
    const read = new HighWater(toFilePath(3))
    expect([read.findNewest('AUSYD1'), read.findNewest('CHNZJ1')]).toEqual([7, 3])
  })

  it('stay in a small file, whatever is noted', () => {
    const noted = new HighWater(toFilePath(1))
    for (let version = 1; version <= 20_000; version++) noted.record('AUSYD1', version)
    expect(statSync(toFilePath(1)).size).toBeLessThan(70_000)
    expect(new HighWater(toFilePath(1)).findNewest('AUSYD1')).toBe(20_000)
  })

  it('are appended, and the file is not begun anew for each', () => {
    const noted = new HighWater(toFilePath(1))
    noted.record('AUSYD1', 1)
    const { ino } = statSync(toFilePath(1))
    for (let version = 2; version <= 20; version++) noted.record('AUSYD1', version)
    expect(statSync(toFilePath(1)).ino).toBe(ino)
  })

  it('last as long as the process without a file', () => {
    const noted = new HighWater(undefined)
    noted.record('AUSYD1', 7)
    expect([noted.findNewest('AUSYD1'), noted.findNewest('CHNZJ1')]).toEqual([7, 0])
  })

  it('do not lose those of another process that shares the file, when a process writes for the first time', () => {
    const [first, second] = [new HighWater(toFilePath(1)), new HighWater(toFilePath(1))]
    first.record('AUSYD1', 50)
    second.record('CHNZJ1', 11)
    const next = new HighWater(toFilePath(1))
    expect([next.findNewest('AUSYD1'), next.findNewest('CHNZJ1')]).toEqual([50, 11])
  })

  it('are the highest of a file, also where a lower one stands behind it', () => {
    writeFileSync(toFilePath(1), '{"AUSYD1":9}\n{"AUSYD1":7}')
    expect(new HighWater(toFilePath(1)).findNewest('AUSYD1')).toBe(9)
  })

  it('are in no other file of the folder', () => {
    for (const name of ['audit-head-1.json', 'old-high-water-1.json', 'high-water-1.json.new-5'])
      writeFileSync(join(folder, name), '{"AUSYD1":99}')
    expect(new HighWater(toFilePath(1)).findNewest('AUSYD1')).toBe(0)
  })

  it('are in a file that only its owner may read, also where it is written again', () => {
    const noted = new HighWater(toFilePath(1))
    for (const version of [7, 8]) {
      rmSync(toFilePath(1), { force: true })
      noted.record('AUSYD1', version)
      expect(statSync(toFilePath(1)).mode & 0o777).toBe(0o600)
    }
  })
})
