import { describe, expect, it } from 'vitest'
import { Locks } from './locks.ts'

describe('Locks', () => {
  it('run calls with a common name one after another, also after one failed', async () => {
    const locks = new Locks()
    const order: string[] = []
    const work = (name: string) => async () => {
      order.push(`${name} begins`)
      await Promise.resolve()
      order.push(`${name} ends`)
      if (name === 'first') throw new Error('lost')
    }
    const first = locks.run(['b'], work('first'))
    const second = locks.run(['b', 'c'], work('second'))
    await expect(first).rejects.toThrow('lost')
    await second
    expect(order).toEqual(['first begins', 'first ends', 'second begins', 'second ends'])
    expect(locks.isTaken('b')).toBe(false)
  })

  it('never block each other, whatever the order of the names', async () => {
    const locks = new Locks()
    const results = await Promise.all([
      locks.run(['a', 'b'], async () => 1),
      locks.run(['b', 'a'], async () => 2),
      locks.run(['b', 'b'], async () => 3),
    ])
    expect(results).toEqual([1, 2, 3])
  })
})
