/** Only one process can use a data directory. The test runs real processes and kills them as a crash would. */

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { DataDirBusy, lockDataDir } from '../src/start/lock.ts'
import { sizes } from './faults/sizes.ts'
import { reportFigure } from './promises/report-figure.ts'

const resolveSource = (file: string) => join(import.meta.dirname, '../src', file)
const program = `
  const { lockDataDir } = await import(${JSON.stringify(resolveSource('start/lock.ts'))})
  process.on('message', () => {
    try { lockDataDir(process.argv[1], 0); process.send('locked') } catch (error) { process.send(error.message) }
  })
  process.send('ready')
`
const folder = mkdtempSync(join(tmpdir(), 'data-dir-'))
const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

const waitForMessage = (child: ChildProcess) =>
  new Promise<string>((resolve) => child.once('message', (word) => resolve(String(word))))

/** Starts a process that tries to lock the directory when it receives a message. */
async function startOpener(): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, folder], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  children.push(child)
  expect(await waitForMessage(child)).toBe('ready')
  return child
}

function requestLock(child: ChildProcess): Promise<string> {
  const said = waitForMessage(child)
  child.send('take it')
  return said
}

function kill(child: ChildProcess): Promise<void> {
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill('SIGKILL')
  return gone
}

const openers = 3

describe('a data directory', () => {
  it('has one process, which refusals name, and is free the moment that it is killed', async () => {
    for (let trial = 0; trial < sizes.openers; trial++) {
      const started = await Promise.all(Array.from({ length: openers }, startOpener))
      const said = await Promise.all(started.map(requestLock))
      const holder = started[said.indexOf('locked')]
      expect(
        said.filter((word) => word === 'locked'),
        `trial ${trial}`,
      ).toHaveLength(1)
      expect(() => lockDataDir(folder, 0)).toThrow(DataDirBusy)
      expect(() => lockDataDir(folder, 0)).toThrow(`is in use by process ${holder?.pid}, started 1970`)
      if (holder) await kill(holder)
      // The lock file contains the id of a live process, as if the operating system had reused the process id.
      const story = JSON.parse(readFileSync(join(folder, 'lock.json'), 'utf8'))
      expect(story.pid).toBe(holder?.pid)
      writeFileSync(join(folder, 'lock.json'), JSON.stringify({ ...story, pid: process.pid }))
      const next = started.find((child) => child !== holder)
      expect(next && (await requestLock(next))).toBe('locked')
      await Promise.all(started.filter((child) => child !== holder).map(kill))
    }
    reportFigure(
      ['I39'],
      `${sizes.openers} kills of the holder, each with ${openers} processes that want the directory`,
    )
  })

  it('is refused by the program with exit code 75 and the holder’s number', async () => {
    const holder = await startOpener()
    expect(await requestLock(holder)).toBe('locked')
    const second = spawn(process.execPath, [resolveSource('main.ts')], {
      cwd: folder,
      env: { DATA_DIR: folder, PORT: '0' },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    children.push(second)
    let told = ''
    second.stderr.setEncoding('utf8').on('data', (text: string) => {
      told += text
    })
    const code = await new Promise((resolve) => second.once('close', resolve))
    expect([code, told]).toEqual([75, expect.stringContaining(`process ${holder.pid}, started`)])
  })
})
