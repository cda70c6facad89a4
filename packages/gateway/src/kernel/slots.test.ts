import { describe, expect, it } from 'vitest'
import { Slots } from './slots.ts'

const never = new AbortController().signal

/** Starts tasks that end on request, and records the order in which they started. */
function openWork(slots: Slots) {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const begin = (name: string, signal: AbortSignal = never) =>
    slots.run(signal, () => {
      begun.push(name)
      const { promise, resolve } = Promise.withResolvers<string>()
      ends.set(name, () => resolve(name))
      return promise
    })
  const end = async (name: string) => {
    ends.get(name)?.()
    await settle()
  }
  return { begun, begin, end }
}

/** Lets everything run that is not waiting for a slot. */
async function settle() {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve()
}

describe('slots', () => {
  it('run as many as they are, and then the one that waited longest', async () => {
    const { begun, begin, end } = openWork(new Slots(2, 10))
    const all = ['a', 'b', 'c', 'd'].map((name) => begin(name))
    await settle()
    expect(begun).toEqual(['a', 'b'])
    await end('b')
    expect(begun).toEqual(['a', 'b', 'c'])
    await end('a')
    await end('c')
    await end('d')
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd'].map((result) => ({ result })))
  })

  it('begin nothing for whoever gave up, nor keep a place for it', async () => {
    const { begun, begin, end } = openWork(new Slots(1, 10))
    const impatient = new AbortController()
    const all = [begin('a'), begin('b', impatient.signal), begin('c')]
    await settle()
    impatient.abort()
    await end('a')
    expect(begun).toEqual(['a', 'c'])
    await end('c')
    expect(await Promise.all(all)).toEqual([{ result: 'a' }, undefined, { result: 'c' }])
    expect(await begin('d', impatient.signal)).toBeUndefined()
  })

  it('are handed on when the work fails', async () => {
    const slots = new Slots(1, 1)
    await expect(slots.run(never, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await slots.run(never, async () => 1)).toEqual({ result: 1 })
  })

  it('refuse at once where too many wait', async () => {
    const { begin, end } = openWork(new Slots(1, 1))
    const all = [begin('a'), begin('b')]
    expect(await begin('c')).toBeUndefined()
    await end('a')
    await end('b')
    expect(await Promise.all(all)).toEqual([{ result: 'a' }, { result: 'b' }])
  })
})
