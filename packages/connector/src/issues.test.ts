import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { describeIssues } from './issues.ts'

const schema = z.object({ rows: z.array(z.object({ price: z.int() })) })
const describeValue = (value: unknown) => {
  const { error } = schema.safeParse(value)
  return error && describeIssues(error)
}

describe('describeIssues', () => {
  it('names the place', () => {
    expect(describeValue({ rows: [{ price: 1 }, { price: 12.5 }] })).toMatch(/^rows\[1\]\.price: \S.+int/)
  })

  it('names three places of many', () => {
    const rows = Array.from({ length: 5 }, () => ({}))
    expect(describeValue({ rows })).toMatch(/^rows\[0\].+; rows\[1\].+; rows\[2\].+; and 2 more$/)
  })

  it('names no place for a value that is wrong as a whole', () => {
    expect(describeValue(7)).toMatch(/^Invalid input/)
  })
})
