import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
    }
    for (const [name, text] of Object.entries(damaged)) {
      const path = join(directory, 'damaged.jsonl')
      writeFileSync(path, text)
      const { status, stdout, stderr } = run(path)
      expect({ status, stdout }, `${name}: ${stderr}`).toEqual({ status: 64, stdout: '' })
      expect(stderr, name).toMatch(/^[^\n]+\.\n$/)
    }
    expect(run(join(directory, 'missing.jsonl'))).toMatchObject({ status: 64, stdout: '' })
  })

  it('explains wrong options with exit 64', () => {
    for (const args of [[], ['--nonsense'], ['a', 'b']])
      expect(run(...args)).toMatchObject({ status: 64, stdout: '' })
    expect(run('--help')).toMatchObject({ status: 0, stderr: '' })
  })
})
