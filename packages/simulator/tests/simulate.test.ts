import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'

const command = fileURLToPath(new URL('../src/main.ts', import.meta.url))
/** The number of seeds that are run twice; the full size is 100. */
const seeds = process.env.SIMULATED_SEEDS ?? '2'
const maxMs = 600_000
let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'simulate-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Runs the command in a process of its own, because it replaces timers and clocks. */
function simulate(...options: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [command, ...options], (error, output, problems) =>
      resolve({ code: error ? Number(error.code) : 0, output: `${output}${problems}` }),
    )
  })
}

it('writes the same history for the same seed, byte for byte', { timeout: maxMs }, async () => {
  const files = ['one', 'two'].map((name) => join(folder, name))
  for (const file of files) {
    const { code, output } = await simulate('--seeds', seeds, '--history', file)
    expect(code, output).toBe(0)
  }
  const [one, two] = await Promise.all(files.map((file) => readFile(file, 'utf8')))
  expect(one?.length).toBeGreaterThan(1_000)
  expect(two).toBe(one)
})

it('finds a planted fault and prints its seed', { timeout: maxMs }, async () => {
  const { code, output } = await simulate('--seeds', '5', '--faults', 'retry-after-rejected')
  expect(code, output).toBe(1)
  expect(output).toMatch(/seed \d+ breaks a promise/)
})

it.each([
  [['--seed', 'x'], '--seed must be a whole number'],
  [['--seeds', '0'], '--seeds must be a whole number'],
  [['--faults', 'none-such'], '"none-such" is not a fault'],
])('refuses %j with a sentence and 64, and writes nothing', async (options, message) => {
  const file = join(folder, 'nothing')
  const { code, output } = await simulate(...options, '--history', file)
  expect(code).toBe(64)
  expect(output).toContain(message)
  expect(existsSync(file)).toBe(false)
})
