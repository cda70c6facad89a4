import { UnknownOutcome } from '@trade-gateway/connector'
import { beforeEach, describe, expect, it } from 'vitest'
import { type FailureKind, MedusaFailure } from './failures.ts'
import { maxCallMs } from './http.ts'
import { maxRequestMs, Steps, Unsettled } from './steps.ts'

let elapsed = 0
const environment = { now: () => 0, elapsed: () => elapsed, createId: () => '', log: () => undefined }
beforeEach(() => {
  elapsed = 0
})

describe('the steps of a write', () => {
  it('begin only while the last of them ends within the declared time', async () => {
    const steps = new Steps(environment, 'r-1')
    elapsed = maxRequestMs - maxCallMs - 1
    expect(await steps.run('draft.create', async () => 'made')).toBe('made')
    elapsed += 1
    let isBegun = false
    const late = steps.run('draft.convert', async () => {
      isBegun = true
    })
    await expect(late).rejects.toThrow(UnknownOutcome)
    expect(isBegun).toBe(false)
  })

  it('are told to the hook after they succeeded, with the reference', async () => {
    const told: string[] = []
    const steps = new Steps(environment, 'r-1', (step, reference) => told.push(`${step} ${reference}`))
    await steps.run('draft.create', async () => undefined)
    await expect(steps.run('draft.convert', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(told).toEqual(['draft.create r-1'])
  })
})

describe('a reference whose call ended without a result', () => {
  const fail = (kind: FailureKind) => () => Promise.reject(new MedusaFailure(kind, 'POST /x', 'lost'))

  it.each<FailureKind>(['unknown', 'unexpected'])(
    'is not over until the call cannot take effect any more: %s',
    async (kind) => {
      const unsettled = new Unsettled(environment)
      await expect(unsettled.watch('r-1', fail(kind))).rejects.toThrow('lost')
      elapsed = maxRequestMs - 1
      expect(() => unsettled.requireOver('r-1')).toThrow(UnknownOutcome)
      expect(() => unsettled.requireOver('r-2')).not.toThrow()
      elapsed = maxRequestMs
      expect(() => unsettled.requireOver('r-1')).not.toThrow()
    },
  )

  it('is another one than a reference that Medusa refused', async () => {
    const unsettled = new Unsettled(environment)
    await expect(unsettled.watch('r-1', fail('refused'))).rejects.toThrow('lost')
    expect(() => unsettled.requireOver('r-1')).not.toThrow()
  })
})
