import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { deriveGuarantee } from '../../../gateway/src/upstream/guarantee.ts'
import { listComplaints } from '../../../gateway/tests/chinese.ts'
import { checkNounAfterPlaceholder, listProblems } from '../../../gateway/tests/korean.ts'
import { fullCapabilities } from '../../../sandbox-erp/src/erp.ts'
import { fillText } from './catalogue.ts'
import { en } from './en.ts'
import { ko } from './ko.ts'
import { zh } from './zh.ts'

const listPlaceholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort()

describe.each([
  ['zh', zh, /[\u4e00-\u9fff]/],
  ['ko', ko, /[\uac00-\ud7af]/],
] as const)('the texts in %s', (_language, catalogue, script) => {
  it('have the keys and the placeholders of the English ones', () => {
    expect(Object.keys(catalogue)).toEqual(Object.keys(en))
    for (const [key, text] of Object.entries(catalogue))
      expect(listPlaceholders(text), key).toEqual(listPlaceholders(Object(en)[key]))
  })

  it('are translated: a text of several words is in its own script', () => {
    const foreign = Object.entries(catalogue).filter(([, text]) => / /.test(text) && !script.test(text))
    expect(foreign).toEqual([])
  })
})

describe('every text', () => {
  it('is used, by its key or by the beginning of its key', () => {
    const source = join(import.meta.dirname, '..')
    const code = globSync('**/*.{ts,tsx}', { cwd: source })
      .filter((path) => !/^texts.(?:en|zh|ko)\.ts$|\.test\.ts$/.test(path))
      .map((path) => readFileSync(join(source, path), 'utf8'))
      .join('\n')
    const beginnings = [...code.matchAll(/`(\w+_)\$\{/g)].map(([, beginning = '']) => beginning)
    const unused = Object.keys(en).filter(
      (key) => !code.includes(`'${key}'`) && !beginnings.some((beginning) => key.startsWith(beginning)),
    )
    expect(unused).toEqual([])
  })
})

describe('the guarantee of a write', () => {
  it('that holds within a time names the time, as the gateway does', () => {
    const { says } = deriveGuarantee({ ...fullCapabilities, settles: false, dedupes_by_reference: false })
    expect(fillText(en.guarantee_exactly_once_bounded, { ms: fullCapabilities.max_request_ms })).toBe(says)
  })
})

describe('the English texts', () => {
  /** Texts whose number is never 1. */
  const neverOne = ['request_repeats', 'minutes', 'days', 'redeliver_counted_more']

  it('are right for every number: none has a plural after a number that may be 1', () => {
    const plural = Object.entries(en).filter(([, text]) =>
      /\{(?:n|count|seconds)\} (?:more |further )?[a-z]+s\b/.test(text),
    )
    expect(plural.map(([key]) => key).filter((key) => !neverOne.includes(key))).toEqual([])
  })
})

describe('the Chinese texts', () => {
  it('follow the rules of the gateway’s texts', () => {
    expect(
      Object.entries(zh).flatMap(([key, text]) => listComplaints(text).map((one) => `${key} ${one}`)),
    ).toEqual([])
  })
})

describe('the Korean texts', () => {
  it('follow the rules of the gateway’s texts', () => {
    expect(
      Object.entries(ko).flatMap(([key, text]) =>
        [...listProblems(text), ...checkNounAfterPlaceholder(text)].map((problem) => `${key} ${problem}`),
      ),
    ).toEqual([])
  })
})

describe('fillText', () => {
  it('fills each placeholder as text and leaves an unknown one visible', () => {
    expect(fillText('{a} of {b} and {c}', { a: 0, b: '<b>$&</b>' })).toBe('0 of <b>$&</b> and {c}')
  })
})
