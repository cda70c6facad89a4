import { spawn } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const demoFile = fileURLToPath(import.meta.resolve('../src/demo.ts'))
/** A timeout in milliseconds. An idle machine needs about 5 seconds, mostly to start three processes. */
const maxMs = 60_000
let directory = ''

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'demo-test-'))
})
afterAll(() => rm(directory, { recursive: true }))

async function runDemo(...args: string[]) {
  const child = spawn(process.execPath, [demoFile, ...args], {
    env: { TMPDIR: directory },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: maxMs,
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { stdout, stderr, code }
}

describe('npm run demo', () => {
  it(
    'ends with 0 differences: a client that follows the feed has what a fresh pull has and what the ERP acknowledged',
    async () => {
      const { stdout, stderr, code } = await runDemo()
      expect(stdout, stderr).toMatch(/^Differences {3}0$/m)
      expect(code).toBe(0)
      expect(stdout).toMatch(/^Order lines {3}4,502 read/m)
      expect(stdout).toMatch(/^Month {9}2024-03, 2,766 lines/m)
      expect(stdout).toMatch(/^Movements {5}2,710 applied in 28 batches/m)
      expect(stdout).toContain('movements left out by the ERP: only n on hand, not n')
      expect(stdout).toMatch(/^Compared {6}300 rows/m)
      expect(stderr).toContain('2,766 lines of 2024-03')
      expect(await readdir(directory)).toEqual([])
    },
    maxMs,
  )

  it('says what is wrong with its arguments, with exit 64', async () => {
    const [options, month, help] = await Promise.all([
      runDemo('--nonsense'),
      runDemo('--month', '2024-13'),
      runDemo('--help'),
    ])
    expect(options).toMatchObject({ code: 64, stdout: '' })
    expect(options.stderr).toContain('There is no option --nonsense.')
    expect(month).toMatchObject({ code: 64, stdout: '' })
    expect(month.stderr).toContain('--month must be a month such as 2010-12')
    expect(help).toMatchObject({ code: 0, stderr: '' })
  })
})
