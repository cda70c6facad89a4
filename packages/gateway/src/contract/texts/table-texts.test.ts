import { describe, expect, it } from 'vitest'
import { flattenTexts, listTableTexts, readTableSources, setTableSources } from './table-texts.ts'
import { texts } from './texts.ts'
import { hashEnglish, listStaleTexts } from './translation.ts'

const names = [...flattenTexts(texts.en).keys()]

describe.each(['zh', 'ko'] as const)('the texts of contract/texts in %s', (language) => {
  it('are of the present English (npm run docs -- check)', () => {
    expect(listStaleTexts(listTableTexts()).filter((line) => line.includes(` ${language} `))).toEqual([])
  })

  it('have a hash each, and there is none of a text that is gone', () => {
    expect(Object.keys(readTableSources()[language]).toSorted()).toEqual(names.toSorted())
  })
})

describe('a text whose English has changed', () => {
  const name = 'errors.NOT_FOUND.hint'
  const current = readTableSources()
  const changed = { ...current, zh: { ...current.zh, [name]: hashEnglish('Look elsewhere.') } }

  it('is reported, in the language that was not translated again', () => {
    expect(listStaleTexts(listTableTexts(changed))).toEqual([`${name} in zh is not of the present English`])
  })

  it('is reported if it is new', () => {
    const { [name]: _hash, ...rest } = current.ko
    expect(listStaleTexts(listTableTexts({ ...current, ko: rest }))).toEqual([
      `${name} in ko is not of the present English`,
    ])
  })

  it('is current once it is stamped, and no other with it', () => {
    const stale = { ...changed, zh: { ...changed.zh, 'things.cart': 'old', 'things.gone': 'old' } }
    const named = listTableTexts(stale).filter((text) => text.name === name)
    const { zh, ko } = setTableSources(stale, 'zh', named)
    expect(zh).toEqual({ ...current.zh, 'things.cart': 'old' })
    expect(ko).toEqual(current.ko)
  })
})
