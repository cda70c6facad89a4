import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Patience } from './patience.ts'
import { DatabaseSilent } from './trouble.ts'

describe('work for which a request has no time left', () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => void unhandled.push(reason)
  beforeEach(() => void process.on('unhandledRejection', note))
  afterEach(() => void process.off('unhandledRejection', note))

  it('may fail later without ending the process', async () => {
    const patience = new Patience()
    patience.begin()
    patience.end(new DatabaseSilent())
    const { promise, reject } = Promise.withResolvers<never>()
    await expect(patience.settle(promise)).rejects.toBeInstanceOf(DatabaseSilent)
    reject(new Error('It failed, and nobody waits.'))
    await yieldToLoop()
    expect(unhandled).toEqual([])
  })
})
