/** A redis-server of the tests' own, which can be frozen, killed and started again. */

import { setTimeout as sleep } from 'node:timers/promises'
import { startRedis } from '../../../trials/src/redis-server.ts'
import { randomIds } from '../../src/kernel/ids.ts'
import { jsonLog, type Log } from '../../src/kernel/log.ts'
import type { Quota } from '../../src/kernel/quota.ts'
import { Batch } from '../../src/valkey/batch.ts'
import { SharedCounter } from '../../src/valkey/shared-counter.ts'
import { Valkey } from '../../src/valkey/valkey.ts'

/** Whether the tests run that need a redis-server. */
export const hasServer = process.env.TEST_VALKEY === '1'
if (!hasServer)
  process.stderr.write(
    'left out: what processes share in Valkey, because TEST_VALKEY is not set (.ci/valkey.sh)\n',
  )

/** A wait that no pause of a busy machine exceeds. */
export const patientMs = 20_000

export interface TestServer {
  readonly url: string
  /** Kills the server. It starts again empty. */
  kill(): Promise<void>
  start(): Promise<void>
  freeze(): void
  thaw(): void
}

/** Starts a server on a free port, with more options of its command line. */
export async function startServer(...more: string[]): Promise<TestServer> {
  const { url, process: server } = await startRedis(...more)
  return {
    url,
    start: () => server.start(),
    kill: () => server.kill(),
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
  }
}

export interface CounterOptions {
  readonly url: string
  readonly installation: string
  readonly processes?: number
  readonly waitMs?: number
  readonly log?: Log
  /** Replaces the server's time and the process's clock, in milliseconds. */
  readonly readTime?: () => number
}

/** Opens what one process has: a connection and a count of points. */
export async function openCounter(options: CounterOptions) {
  const { url, installation, processes = 1, waitMs, readTime, log = jsonLog('silent') } = options
  const valkey = await Valkey.open({
    url,
    installation,
    log,
    ids: randomIds,
    ...(waitMs === undefined ? {} : { waitMs }),
  })
  const batch = new Batch(valkey, readTime ? () => String(readTime()) : undefined)
  let alone = 0
  const counter = new SharedCounter({
    valkey,
    batch,
    name: 'points',
    clock: { monotonic: readTime ?? (() => performance.now()) },
    countProcesses: () => processes,
    onOwnDecision: () => {
      alone += 1
    },
  })
  return { valkey, counter, countAlone: () => alone }
}

/** Waits until a connection is as expected. */
export async function waitUntil(isDone: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1_000 && !isDone(); tries++) await sleep(20)
  if (!isDone()) throw new Error('It did not happen within 20 seconds.')
}

/** The operations of a count that are compared with those of a count in memory. */
export type Way = keyof Pick<Quota, 'take' | 'takeUpTo' | 'test'>
