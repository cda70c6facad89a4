import type { Language } from '../src/contract/language.ts'
import { flattenTexts } from '../src/contract/texts/table-texts.ts'
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
  return flattenTexts({ ...texts[language], declared: Object.fromEntries(declared) })
}
