import { expect, it } from 'vitest'
import { runSteps } from './steps.ts'

it('runs every step, and throws what failed first', async () => {
  const ran: number[] = []
  const step = (number: number, error?: string) => async () => {
    ran.push(number)
    if (error !== undefined) throw new Error(error)
  }
  await expect(runSteps([step(1), step(2, 'first'), step(3, 'second'), step(4)])).rejects.toThrow('first')
  expect(ran).toEqual([1, 2, 3, 4])
  await expect(runSteps([step(5)])).resolves.toBeUndefined()
})
