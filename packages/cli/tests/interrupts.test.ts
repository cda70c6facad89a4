/**
 * Ctrl-C at random moments of long commands: the exit code is 130, the output has no torn line and no stack trace, and
 * no half file has the name of a whole one. TGW_INTERRUPTS is the number of interruptions of each command (4).
 */

import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sequenceEvents } from '../../gateway/src/webhooks/sequence.ts'
import { openReceiver } from '../../gateway/tests/receiver.ts'
import { type Result, waitForEnd } from './run-tgw.ts'
import { openShopWithHome, type Shop } from './shop.ts'
import { openSlowStock } from './slow-stock.ts'

const interrupts = Number(process.env.TGW_INTERRUPTS ?? 4)
const trialMs = 60_000 + interrupts * 15_000
/** A command takes about a second to load; it is interrupted before, while and after it works. */
const maxMs = 2_500
/** Node itself is ended by a signal until the command listens. A shell reports both in the same way. */
const interrupted = 130
const done = 0

let shop: Shop
beforeAll(async () => {
  shop = await openShopWithHome()
})
afterAll(() => shop.close())

const pick = (count: number) => Math.floor(Math.random() * count)

interface Launch {
  readonly env?: Readonly<Record<string, string>>
  readonly signal?: NodeJS.Signals
}

/** Starts a command, and signals it after a random time. */
async function interrupt(
  args: readonly string[],
  { env = {}, signal = 'SIGINT' }: Launch = {},
): Promise<Result> {
  const child = shop.home.start(args, { env })
  const ended = waitForEnd(child)
  await Promise.race([ended, wait(pick(maxMs))])
  child.kill(signal)
  return ended
}

function expectOrder({ code, out, err }: Result, args: readonly string[]) {
  expect([done, interrupted], `${args.join(' ')}: ${err}`).toContain(code)
  expect(err).not.toMatch(/^\s+at |Error:|node:internal/m)
  expect(out === '' || out.endsWith('\n'), 'the last line is whole').toBe(true)
}

describe('Ctrl-C at a random moment', () => {
  it.each([
    ['order', 'list', '--all'],
    ['statement', '--from', '2026-10-22', '--to', '2026-11-21', '--rows', 'transactions'],
    ['webhooks', 'replay', '--all'],
    ['stock', 'watch', 'AUSYD1', '--interval', '1s'],
    ['doctor'],
    ['quickstart'],
    ['stock', 'pull', 'AUSYD1'],
  ])(
    'ends tgw %s %s with 130',
    async (...args) => {
      for (let each = 0; each < interrupts; each++) {
        const result = await interrupt([...args, '--json'])
        expectOrder(result, args)
        for (const line of result.out.split('\n')) if (line !== '') JSON.parse(line)
      }
    },
    trialMs,
  )

  it(
    'ends tgw webhooks listen with 130, and leaves its place for the next run',
    async () => {
      const receiver = await openReceiver()
      const args = ['webhooks', 'listen', '--forward-to', receiver.url, '--interval', '1s', '--json']
      for (let each = 0; each < interrupts; each++) {
        await shop.home.run(['quickstart', '--quiet'])
        while (await sequenceEvents(shop.house.gateway));
        const result = await interrupt([...args, '--since', each === 0 ? 'oldest' : 'last'])
        expect(result.code, result.err).toBe(interrupted)
        expectOrder(result, args)
        for (const line of result.out.split('\n')) if (line !== '') JSON.parse(line)
      }
      await receiver.close()
    },
    trialMs,
  )

  it(
    'never lets half a download have the name of a whole one, and --resume loses nothing',
    async () => {
      const stock = await openSlowStock(24, 100)
      const file = join(shop.home.folder, 'slow.ndjson')
      const pull = ['stock', 'pull', 'AUSYD1', '--out', file]
      const countKept = () =>
        existsSync(`${file}.part.json`) ? JSON.parse(readFileSync(`${file}.part.json`, 'utf8')).rows : 0
      for (let each = 0; each < interrupts * 2; each++) {
        const before = countKept()
        if (before === 0) rmSync(`${file}.part`, { force: true })
        const signal = pick(3) === 0 ? 'SIGKILL' : 'SIGINT'
        const result = await interrupt([...pull, ...(before > 0 ? ['--resume'] : [])], {
          env: stock.env,
          signal,
        })
        if (signal === 'SIGINT') expectOrder(result, pull)
        if (existsSync(file)) {
          expect(readFileSync(file, 'utf8')).toBe(stock.whole)
          rmSync(file)
          continue
        }
        expect(result.code).not.toBe(done)
        expect(countKept()).toBeGreaterThanOrEqual(before)
        if (signal === 'SIGKILL') continue
        // The message offers what is there, and a file without rows is not left behind.
        const [, offered = '0'] = /has (\d+) rows\. Continue the download/.exec(result.err) ?? []
        if (offered !== '0') expect(countKept()).toBe(Number(offered))
        if (countKept() === 0) expect(existsSync(`${file}.part`)).toBe(false)
      }
      const last = existsSync(`${file}.part.json`) ? [...pull, '--resume'] : pull
      expect(await shop.home.run(last, { env: stock.env })).toMatchObject({ code: done })
      expect(readFileSync(file, 'utf8')).toBe(stock.whole)
      expect(readdirSync(shop.home.folder).filter((name) => name.startsWith('slow.'))).toEqual([
        'slow.ndjson',
      ])
      await stock.close()
    },
    trialMs,
  )
})

describe('one signal while nobody reads the output', () => {
  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('%s ends tgw stock pull with %i', async (signal, code) => {
    const stock = await openSlowStock(24, 1)
    const child = shop.home.start(['stock', 'pull', 'AUSYD1'], { env: stock.env })
    // Without a listener, this process takes what fits into its buffer, and no more.
    await once(child.stdout ?? child, 'readable')
    await wait(500)
    child.kill(signal)
    const [own] = await Promise.race([once(child, 'exit'), wait(10_000, ['still runs'])])
    child.kill('SIGKILL')
    expect(own).toBe(code)
    await stock.close()
  })
})
