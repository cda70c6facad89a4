import type { Language } from '../src/contract/language.ts'
import { texts } from '../src/contract/texts/texts.ts'
import { declaredTexts } from '../src/translations/declared.ts'

/** Returns every text of a language by its name, such as `errors.NOT_FOUND.hint` or `declared.orders.list.summary`. */
export function listAllTexts(language: Language): Map<string, string> {
  const declared = declaredTexts.map((text) => {
    const { source: _source, ...prose }: { source?: string } = {
      ...(language === 'en' ? text.english : text[language]),
    }
    return [text.name, prose]
  })
  return flatten({ ...texts[language], declared: Object.fromEntries(declared) })
}

function flatten(tree: object): Map<string, string> {
  const all = new Map<string, string>()
  const add = (name: string, value: unknown) => {
    if (typeof value === 'string') all.set(name, value)
    else for (const [key, inner] of Object.entries(Object(value))) add(name ? `${name}.${key}` : key, inner)
  }
  add('', tree)
  return all
}
