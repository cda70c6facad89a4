import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { plantedNames } from '../src/planted-names.ts'

const command = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const checker = fileURLToPath(new URL('../src/checker/command.ts', import.meta.url))
/** The number of seeds that are run twice; the full size is 100. */
const seeds = process.env.SIMULATED_SEEDS ?? '2'
const maxMs = 600_000
let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'simulate-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Runs a program in a process of its own, because it replaces timers and clocks. */
function run(program: string, ...options: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...options], (error, output, problems) =>
      resolve({ code: error ? Number(error.code) : 0, output: `${output}${problems}` }),
    )
  })
}

const simulate = (...options: string[]) => run(command, ...options)

it('has the same history for the same seed, in the same process', { timeout: maxMs }, async () => {
  const { code, output } = await simulate('--seeds', seeds, '--twice')
  expect(code, output).toBe(0)
})

it('writes the same history for the same seed, which the checker reads', { timeout: maxMs }, async () => {
  const files = ['one', 'two'].map((name) => join(folder, name))
  for (const file of files) {
    const { code, output } = await simulate('--seeds', '1', '--history', file)
    expect(code, output).toBe(0)
  }
  const [one, two] = await Promise.all(files.map((file) => readFile(file, 'utf8')))
  expect(one?.length).toBeGreaterThan(1_000)
  expect(two).toBe(one)
  const checked = await run(checker, files[0] ?? '')
  expect(checked.code, checked.output).toBe(0)
})

/** A seed at which each planted fault is found, and how. */
const found = {
  'lost-update-in-release': { seed: 3, told: /stock SBX-SHORT-3: opened with 9, and no order/ },
  'event-numbered-early': { seed: 18, told: /event-missing inbox-1: evt_\w+ never reached it/ },
  'key-freed-in-doubt': { seed: 13, told: /order client-1-2: no order of the operations explains them/ },
  'cursor-ahead-of-restore': { seed: 3, told: /the feed has an event again that was lost/ },
  'retry-after-rejected': { seed: 29, told: /order client-1-5: no order of the operations explains them/ },
  'revocation-missed': { seed: 10, told: /client-5 revoked a token, and a process still accepts it/ },
} as const satisfies Record<(typeof plantedNames)[number], { seed: number; told: RegExp }>

it.each(plantedNames)(
  'finds the planted fault %s, and nothing without it',
  { timeout: maxMs },
  async (name) => {
    const { seed, told } = found[name]
    const first = ['--seeds', '1', '--first', String(seed), '--plain']
    const { code, output } = await simulate(...first, '--plant', name)
    expect(code, output).toBe(1)
    expect(output).toMatch(told)
    const sound = await simulate(...first)
    expect(sound.code, sound.output).toBe(0)
  },
)

it('shrinks a failing world to the parts that it requires', { timeout: maxMs }, async () => {
  const seed = String(found['revocation-missed'].seed)
  const { output } = await simulate('--seeds', '1', '--first', seed, '--plant', 'revocation-missed')
  const [, story = ''] = output.split('the smallest world that breaks one:\n')
  expect(story).toMatch(
    /^ {2}1 processes: .*\n {2}client-\d+: revoker, 1 rounds\n {2}client-\d+ revoked a token/,
  )
})

it.each([
  [['--first', 'x'], '--first must be a whole number'],
  [['--first', '999999999', '--seeds', '2'], 'there is no seed 1000000000'],
  [['--seeds', '0'], '--seeds must be a whole number'],
  [['--seeds', '2'], '--history writes the history of one seed'],
  [['--plant', 'none-such'], '"none-such" is not a fault'],
  [['--plant', ','], '"" is not a fault'],
])('refuses %j with a sentence and 64, and writes nothing', async (options, message) => {
  const file = join(folder, 'nothing')
  const { code, output } = await simulate(...options, '--history', file)
  expect(code).toBe(64)
  expect(output).toContain(message)
  expect(existsSync(file)).toBe(false)
})
