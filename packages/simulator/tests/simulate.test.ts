import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runJobs, type SeedReport } from '../src/jobs.ts'
import { plantedNames } from '../src/planted-names.ts'

const command = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const breakingJob = fileURLToPath(new URL('./breaking-job.ts', import.meta.url))
const breakingRecorder = new URL('./breaking-recorder.ts', import.meta.url)
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
function run(
  program: string,
  options: readonly string[],
  env = process.env,
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...options], { env }, (error, output, problems) =>
      resolve({ code: error ? Number(error.code) : 0, output: `${output}${problems}` }),
    )
  })
}

const simulate = (...options: string[]) => run(command, options)
/** Runs worlds that break down as soon as they begin. */
const simulateBreaking = (...options: string[]) =>
  run(command, options, { ...process.env, NODE_OPTIONS: `--import ${breakingRecorder}` })

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
  const checked = await run(checker, [files[0] ?? ''])
  expect(checked.code, checked.output).toBe(0)
})

/** A seed at which each planted fault is found, and how. */
const found = {
  'lost-update-in-release': { seed: 3, told: /stock SBX-SHORT-3: opened with 9, and no order/ },
  'event-numbered-early': { seed: 4, told: /event-missing inbox-1: evt_\w+ never reached it/ },
  'key-freed-in-doubt': { seed: 18, told: /order client-1-4: no order of the operations explains them/ },
  'cursor-ahead-of-restore': { seed: 11, told: /the feed has an event again that was lost/ },
  'retry-after-rejected': { seed: 18, told: /order client-3-4: no order of the operations explains them/ },
  'hold-of-nothing': { seed: 4, told: /hold client-\d-\d: it was refused with \w+, and its hold lasted/ },
  'revocation-missed': { seed: 11, told: /client-4 revoked a token, and a process still accepts it/ },
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

it('reports each world that breaks down with its seed, and runs the next ones', {
  timeout: maxMs,
}, async () => {
  const order = { first: 1, count: 7, planted: [], isTwice: false, isPlain: true, isRecorded: true }
  const reports: SeedReport[] = []
  const running = runJobs(order, 1, (report) => reports.push(report), { program: breakingJob })
  await expect(running).rejects.toThrow('A process that ran seeds ended with 3 at seed 6.')
  expect(reports.map(({ seed, violations: [first = 'holds'] }) => [seed, first.split('\n')[0]])).toEqual([
    [1, 'The world broke down: Error: rejected in a world'],
    [2, 'The world broke down: Error: thrown in a world'],
    [3, 'The world broke down: Error: rejected after a world'],
    [4, expect.stringMatching(/^The world broke down: Error: The world hangs: it is not over after 300 s /)],
    [5, 'holds'],
  ])
  expect(reports.map(({ counts }) => counts !== undefined)).toEqual([false, false, false, false, true])
})

it('ends a seed that loops and awaits nothing, and says which', { timeout: maxMs }, async () => {
  const order = { first: 8, count: 1, planted: [], isTwice: false, isPlain: true, isRecorded: false }
  const running = runJobs(order, 1, () => {}, { program: breakingJob, maxMs: 10_000 })
  await expect(running).rejects.toThrow('A process that ran seeds did not end within 10 s at seed 8.')
})

it('keeps the history of a world that broke down until then, and shrinks it', {
  timeout: maxMs,
}, async () => {
  const file = join(folder, 'broken')
  const { code, output } = await simulateBreaking('--seeds', '1', '--history', file)
  expect(code, output).toBe(1)
  expect(output).toMatch(/^seed 1 breaks a promise:\n {2}The world broke down: Error: nobody catches this/m)
  expect(output).toMatch(
    /breaks one:\n {2}1 processes: .*\n {2}client-\d+: .*, 1 rounds\n {2}The world broke/,
  )
  expect(output).toContain(`${file} has the history until the world broke down.`)
  expect((await readFile(file, 'utf8')).split('\n').length).toBeGreaterThan(3)
  const checked = await run(checker, [file])
  expect(checked).toMatchObject({ code: 64, output: expect.stringContaining('is cut') })
})

it('says that a run in which nothing was judged proves nothing', { timeout: maxMs }, async () => {
  const { code, output } = await simulateBreaking('--seeds', '50', '--plain')
  expect(code).toBe(1)
  expect(output).toContain('judged: 0 confirmed submits, 0 confirmed holds, 0 transactions, ')
  expect(output).toContain('The run proves nothing: 50 seeds had no submits to judge.')
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

it.each([
  ['', 'must be the name of a file, not ""'],
  ['.', 'it is a folder'],
  ['/missing/h', 'there is no folder "/missing"'],
])(
  'refuses to write the history to "%s" with a sentence and 64, before a seed runs',
  async (file, message) => {
    const { code, output } = await simulate('--seeds', '1', '--history', file)
    expect(code).toBe(64)
    expect(output).toMatch(/^--history /)
    expect(output).toContain(message)
    expect(output).not.toContain('seeds 1 to 1')
  },
)
