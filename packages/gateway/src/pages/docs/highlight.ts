import { createCssVariablesTheme, createHighlighterCoreSync, type HighlighterCore } from '@shikijs/core'
import { createJavaScriptRegexEngine } from '@shikijs/engine-javascript'
import csv from '@shikijs/langs/csv'
import http from '@shikijs/langs/http'
import ini from '@shikijs/langs/ini'
import json from '@shikijs/langs/json'
import shellscript from '@shikijs/langs/shellscript'
import sql from '@shikijs/langs/sql'
import typescript from '@shikijs/langs/typescript'
import { escaped } from '../escape.ts'

/**
 * Code with its words marked by class. The policy of the pages forbids `style` attributes, so that a token's colour is
 * a variable's name here and a class in the style sheet.
 */
const theme = createCssVariablesTheme({ name: 'by-class', variablePrefix: '--', fontStyle: false })

const known: Readonly<Record<string, string>> = {
  sh: 'shellscript',
  bash: 'shellscript',
  shell: 'shellscript',
  ts: 'typescript',
  typescript: 'typescript',
  js: 'typescript',
  json: 'json',
  http: 'http',
  ini: 'ini',
  sql: 'sql',
  csv: 'csv',
}

/** Code longer than this is shown as it is: a page must not cost a second. */
const mostCharacters = 20_000

let highlighter: HighlighterCore | undefined

/** The code as HTML. A language that is not known is plain text. */
export function highlighted(code: string, language: string): string {
  const lang = known[language]
  if (lang === undefined || code.length > mostCharacters) return escaped(code)
  highlighter ??= createHighlighterCoreSync({
    themes: [theme],
    langs: [json, shellscript, typescript, http, ini, sql, csv],
    engine: createJavaScriptRegexEngine(),
  })
  const { tokens } = highlighter.codeToTokens(code, { lang, theme: 'by-class' })
  return tokens.map((line) => line.map(({ content, color }) => marked(content, color)).join('')).join('\n')
}

/** Reads the grammars of what most pages show: the first reader, and whoever reads stock beside, need not wait for it. */
export function warmHighlighter() {
  highlighted('curl -s "$BASE/livez" | sed \'s/a/b/\' # warm', 'sh')
  highlighted('const { data } = await (await fetch(`x`)).json() // warm', 'ts')
  highlighted('{"a": [1, "b", null]}', 'json')
}

function marked(content: string, color: string | undefined): string {
  const kind = /^var\(--token-([a-z-]+)\)$/.exec(color ?? '')?.[1]
  return kind === undefined ? escaped(content) : `<span class="t-${kind}">${escaped(content)}</span>`
}
