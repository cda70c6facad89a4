import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  findMisplacement,
  isExplainedBy,
  listStaleReasons,
  type Mutation,
  toSingleSpaces,
} from './reasons.ts'
import { type EquivalentMutant, subjects } from './subjects.ts'

const root = join(import.meta.dirname, '../..')

describe('the reasons of the subjects', () => {
  it('each name one place of their file', () => {
    const misplaced = subjects.flatMap(({ equivalent }) =>
      equivalent.flatMap((each) => findMisplacement(each, readFileSync(join(root, each.file), 'utf8')) ?? []),
    )
    expect(misplaced).toEqual([])
  })

  it('are of files of their subject, each for a mutant of its own', () => {
    for (const { files, equivalent } of subjects) {
      for (const { file } of equivalent) expect(files).toContain(file)
      const mutants = equivalent.map(({ because: _because, ...mutant }) => JSON.stringify(mutant))
      expect(mutants).toEqual([...new Set(mutants)])
    }
  })
})

describe('a reason', () => {
  const file = 'src/name.ts'
  const text = `const first = name ?? ''\nconst last =\n  name ?? ''\nif (first === last) return ['', '']\n`
  const reason: EquivalentMutant = {
    file,
    within: "const last = name ?? ''",
    original: "''",
    replacement: '"x"',
    because: 'Every name has an end.',
  }
  /** The mutants of each empty text of the file. */
  const mutations: Mutation[] = [...toSingleSpaces(text).matchAll(/''/g)].map(({ index }) => ({
    file,
    at: index,
    original: "''",
    replacement: '"x"',
  }))
  const findExplained = (each: EquivalentMutant, of = text) =>
    mutations.map((mutation) => isExplainedBy(each, mutation, of))

  it('explains the mutant of its place, and not the same one of another place', () => {
    expect(findExplained(reason)).toEqual([false, true, false, false])
    expect(findExplained({ ...reason, within: "['', '']", original: "'', ''" })).not.toContain(true)
  })

  it('explains no other mutant of its place', () => {
    for (const other of [{ file: 'src/other.ts' }, { original: "name ?? ''" }, { replacement: '"y"' }])
      expect(findExplained({ ...reason, ...other })).not.toContain(true)
  })

  it('explains its mutant after an edit elsewhere, which moves it', () => {
    const added = '// A comment.\n'
    const moved = mutations.map((each) => ({ ...each, at: each.at + added.length }))
    expect(moved.map((each) => isExplainedBy(reason, each, added + text))).toEqual([
      false,
      true,
      false,
      false,
    ])
  })

  it('explains nothing and is a sentence if its place does not exist, or is not the only one', () => {
    for (const [within, of, sentence] of [
      ['const middle = name', text, `has "const middle = name" 0 times, and that has "''" 0 times`],
      [reason.within, `${text}${text}`, `has "${reason.within}" 2 times, and that has "''" once`],
      ["['', '']", text, `has "['', '']" once, and that has "''" 2 times`],
    ] as const) {
      const misplaced = { ...reason, within }
      expect(findExplained(misplaced, of)).not.toContain(true)
      const whole = `${file} ${sentence}: a reason must name one place.`
      expect(findMisplacement(misplaced, of)).toBe(whole)
      expect(listStaleReasons([misplaced], mutations, () => of)).toEqual([whole])
    }
    expect(findMisplacement(reason, text)).toBeUndefined()
  })

  it('is stale if the run had no such mutant', () => {
    const list = (each: EquivalentMutant) => listStaleReasons([each], mutations, () => text)
    expect(list(reason)).toEqual([])
    expect(list({ ...reason, replacement: '"y"' })).toEqual([
      `${file}: no mutant replaces "''" by ""y"" in "${reason.within}": remove its reason.`,
    ])
  })
})
