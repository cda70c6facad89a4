import { describe, expect, it } from 'vitest'
import type { Environment } from './environment.ts'
import { TrytonFailure } from './failures.ts'
import { maxCallMs } from './rpc.ts'
import { Deadline, maxRequestMs, maxStartMs } from './steps.ts'

function createEnvironment(): Environment & { at: number } {
  return {
    at: 0,
    now() {
      return this.at
    },
    elapsed() {
      return this.at
    },
    random: () => 1,
    async pause(ms) {
      this.at += ms
    },
  }
}

describe('A deadline', () => {
  it('lets no call begin after its time, so that nothing takes effect after max_request_ms', async () => {
    const environment = createEnvironment()
    const deadline = new Deadline(environment)
    environment.at = maxStartMs - 1
    expect(await deadline.run('step', async () => 'done')).toBe('done')
    environment.at = maxStartMs
    await expect(deadline.run('step', async () => 'done')).rejects.toThrow('not begun')
    expect(maxRequestMs).toBe(maxStartMs + maxCallMs)
  })

  it('repeats a step while Tryton reports a lock, and only then', async () => {
    const environment = createEnvironment()
    const deadline = new Deadline(environment)
    let tries = 0
    const lockedTwice = async () => {
      tries += 1
      if (tries <= 2) throw new TrytonFailure('locked', 'assign', 'could not obtain lock')
      return tries
    }
    expect(await deadline.run('assign', lockedTwice)).toBe(3)
    let unknown = 0
    const lost = async () => {
      unknown += 1
      throw new TrytonFailure('unknown', 'create', 'the connection broke')
    }
    await expect(deadline.run('create', lost)).rejects.toThrow('the connection broke')
    expect(unknown).toBe(1)
  })

  it('gives up a lock that never ends', async () => {
    const deadline = new Deadline(createEnvironment())
    const locked = async () => {
      throw new TrytonFailure('locked', 'assign', 'could not obtain lock')
    }
    await expect(deadline.run('assign', locked)).rejects.toThrow('not begun')
  })
})
