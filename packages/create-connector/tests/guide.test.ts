import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { conformanceChecks } from '../../connector/src/conformance.ts'
import { operationIds } from '../../connector/src/erp.ts'

const page = fileURLToPath(new URL('../../../docs/en/erp/connect-an-erp-in-a-day.md', import.meta.url))
const text = readFileSync(page, 'utf8')
const sections = text.split(/^## /m).slice(1)
const checkLines = [...text.matchAll(/^- \*\*Check\*\*: (.+)$/gm)].map(([, line = '']) => line)

describe('the guide for a day', () => {
  it('names only checks that the conformance suite has', () => {
    const known = conformanceChecks().map(({ id }) => id)
    const named = checkLines.flatMap((line) =>
      [...line.matchAll(/`([a-z_]+(?:\.[a-z_]+)*)`/g)].map(([, id]) => id),
    )
    expect(named.length).toBeGreaterThan(50)
    expect(named.filter((id) => id !== undefined && !known.includes(id))).toEqual([])
  })

  it('gives a result, a trap and checks for each subject', () => {
    const subjects = sections.filter((section) => section.startsWith('`'))
    expect(subjects.length).toBeGreaterThan(12)
    for (const subject of subjects)
      for (const part of ['- **Return**', '- **Trap**', '- **Check**']) expect(subject).toContain(part)
  })

  it('mentions every operation', () => {
    expect(operationIds.filter((id) => !text.includes(`\`${id}\``))).toEqual([])
  })
})
