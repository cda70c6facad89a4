import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { chooseTranslation, hashEnglish, listStaleTexts } from '../contract/texts/translation.ts'
import { declaredTexts } from './declared.ts'
import { listTranslationFiles, setSourceHash } from './stamp.ts'

describe.each(['zh', 'ko'] as const)('the translations into %s', (language) => {
  it('are of the present English (npm run translations -- check)', () => {
    expect(listStaleTexts(declaredTexts).filter((line) => line.includes(` ${language} `))).toEqual([])
  })

  it('are of what is declared: none is left of something that is gone, and none is there twice', async () => {
    const files = await Promise.all(
      listTranslationFiles(language).map((path) => import(pathToFileURL(path).href)),
    )
    const names = files.flatMap((file) => Object.keys(file[language]))
    expect(names.toSorted()).toEqual(declaredTexts.map(({ name }) => name).toSorted())
  })
})

describe('a translation of an older English', () => {
  const english = { summary: 'List carts', description: 'Newest first.' }
  const translation = { source: hashEnglish(english), summary: '列出购物车', description: '从新到旧。' }
  const translations = { zh: { carts: translation }, ko: { carts: translation } }

  it('is shown until the English changes, and then English stands in', () => {
    expect(chooseTranslation('zh', english, translations, 'carts').summary).toBe('列出购物车')
    const changed = { ...english, description: 'Oldest first.' }
    expect(chooseTranslation('zh', changed, translations, 'carts')).toBe(changed)
    expect(chooseTranslation('en', english, translations, 'carts')).toBe(english)
  })

  it('is reported', () => {
    const text = { name: 'carts.list', english, zh: translation, ko: { source: 'other' } }
    expect(listStaleTexts([text])).toEqual(['carts.list in ko is not of the present English'])
  })

  it('is stamped once it is renewed, and no other with it', () => {
    const file =
      "export const zh = {\n  'carts.list': {\n    source: '',\n  },\n  carts: {\n    source: 'old',\n  },\n}\n"
    const text = { name: 'carts.list', english, zh: undefined, ko: undefined }
    expect(setSourceHash(file, text)).toBe(file.replace("source: ''", `source: '${hashEnglish(english)}'`))
    expect(setSourceHash(file, { ...text, name: 'cartsXlist' })).toBeUndefined()
    expect(setSourceHash(file, { ...text, name: 'carts.read' })).toBeUndefined()
  })
})
