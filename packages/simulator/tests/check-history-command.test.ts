import { spawn, spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { OutputError } from '@trade-gateway/connector-kit/command-line'
import { afterAll, describe, expect, it } from 'vitest'
import { HistoryRecorder, openHistoryFile } from '../src/history/recorder.ts'
import { closeBooks, lines } from './history-of.ts'

const command = join(import.meta.dirname, '../src/checker/command.ts')
const directory = mkdtempSync(join(tmpdir(), 'check-history-'))
afterAll(() => rmSync(directory, { recursive: true }))

const run = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], { encoding: 'utf8' })
  return { status, stdout, stderr }
}

function record(name: string, isLost: boolean): string {
  const path = join(directory, name)
  const recorder = new HistoryRecorder(openHistoryFile(path), () => 0)
  recorder.begin('buyer', 'order.submit', { order: '1', lines: lines('A', 1) })({ type: 'ok' })
  closeBooks(recorder, isLost ? {} : { 1: ['A', 1] }, {})
  recorder.end()
  return path
}

describe('npm run check-history', () => {
  it('exits with 0 if a history holds, and with 1 and a witness if it does not', () => {
    const right = run(record('right.jsonl', false))
    expect(right).toMatchObject({ status: 0, stderr: '' })
    expect(right.stdout).toContain('The history holds.')
    const wrong = run(record('wrong.jsonl', true))
    expect(wrong).toMatchObject({ status: 1, stderr: '' })
    expect(wrong.stdout).toMatch(/^lost: 1: .*\n {2}lines 1–2: buyer order.submit/m)
  })

  it('says with exit 64 what is wrong with a file that is cut or no history', () => {
    const whole = readFileSync(record('whole.jsonl', false), 'utf8')
    const rows = whole.trimEnd().split('\n')
    const damaged = {
      'in the middle of a line': whole.slice(0, -20),
      'after a line': `${rows.slice(0, -1).join('\n')}\n`,
      'before a line': rows.slice(1).join('\n'),
      'nothing in it': '',
      'other text': 'warehouse_code,sku\n',
      'an operation that nobody knows': whole.replaceAll('order.submit', 'order.steal'),
      'no operation':
        '{"at":0,"client":"recorder","id":1,"type":"observed","operation":"history.end","output":{"entries":0}}\n',
    }
    for (const [name, text] of Object.entries(damaged)) {
      const path = join(directory, 'damaged.jsonl')
      writeFileSync(path, text)
      const { status, stdout, stderr } = run(path)
      expect({ status, stdout }, `${name}: ${stderr}`).toEqual({ status: 64, stdout: '' })
      expect(stderr, name).toMatch(/^[^\n]+\.\n$/)
      expect(stderr, name).toContain(path)
    }
    const missing = join(directory, 'missing.jsonl')
    expect(run(missing)).toEqual({
      ...{ status: 64, stdout: '' },
      stderr: `${missing} cannot be read: there is no such file.\n`,
    })
    expect(run(directory).stderr).toBe(`${directory} cannot be read: it is a folder.\n`)
  })

  it('explains wrong options with exit 64', () => {
    const wrong = [
      [[], 'Give one file.'],
      [['a', 'b'], 'Give one file.'],
      [[''], 'The file must have a name, not "".'],
      [['--nonsense', 'a'], 'There is no option --nonsense.'],
    ] as const
    for (const [args, message] of wrong) {
      const { status, stdout, stderr } = run(...args)
      expect({ status, stdout }, stderr).toEqual({ status: 64, stdout: '' })
      expect(stderr).toContain(`${message}\n\n`)
    }
    expect(run('--help')).toMatchObject({ status: 0, stderr: '' })
  })

  it('ends quietly, as a program that SIGPIPE ends, if nobody reads what it prints', async () => {
    const child = spawn(process.execPath, [command, record('unread.jsonl', true)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stdout.destroy()
    const ended = new Promise((resolve) => child.once('close', resolve))
    expect({ stderr: await text(child.stderr), code: await ended }).toEqual({ stderr: '', code: 141 })
  })

  it.runIf(process.platform === 'linux')('says in a sentence which output cannot be written', () => {
    const full = openSync('/dev/full', 'w')
    const args = [command, record('whole-disk.jsonl', false)]
    const { status, stderr } = spawnSync(process.execPath, args, {
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    })
    closeSync(full)
    expect(status).toBe(1)
    expect(stderr).toMatch(/^Standard output cannot be written: ENOSPC: [^\n]*\.\n$/)
    const recorder = new HistoryRecorder(openHistoryFile('/dev/full'), () => 0)
    expect(() => recorder.end()).toThrow(OutputError)
    expect(() => openHistoryFile(directory)).toThrow(`${directory} cannot be written: EISDIR`)
  })
})
