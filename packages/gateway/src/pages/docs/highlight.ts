import hljs, { type Grammar, type Highlighter } from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import http from 'highlight.js/lib/languages/http'
import ini from 'highlight.js/lib/languages/ini'
import json from 'highlight.js/lib/languages/json'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import { raw } from 'hono/html'
import { type Html, html } from '../html.ts'

/** The highlighter. It marks tokens by CSS class, because the content security policy forbids `style` attributes. */
const highlighter = hljs.newInstance()
highlighter.configure({ classPrefix: 't-' })
highlighter.registerLanguage('sh', extendShellGrammar)
highlighter.registerLanguage('ts', typescript)
highlighter.registerLanguage('json', json)
highlighter.registerLanguage('http', http)
highlighter.registerLanguage('ini', ini)
highlighter.registerLanguage('sql', sql)
highlighter.registerAliases(['bash', 'shell'], { languageName: 'sh' })
highlighter.registerAliases(['typescript', 'js', 'javascript'], { languageName: 'ts' })

/** Extends the grammar of bash, which marks neither commands nor options. Most code on the pages is shell commands. */
function extendShellGrammar(library: Highlighter): Grammar {
  const grammar = bash(library)
  // A command starts a line, or follows an operator, a keyword or an assignment of an environment variable.
  const start = /(?<=(?:^|[|&;({])[ \t]*|\b(?:do|then|else)[ \t]+|^[ \t]*\w+=\S*[ \t]+)/
  const name = /(?!(?:do|done|elif|else|fi|for|if|in|then|while)\b)[a-z][\w.-]*(?=[\s)]|$)/
  const command = { scope: 'built_in', begin: new RegExp(start.source + name.source) }
  const option = { scope: 'string', begin: /(?<=\s)--?[A-Za-z][\w-]*/ }
  return { ...grammar, contains: [...grammar.contains, command, option] }
}

/** The longest code that is highlighted, because highlighting longer code could block the event loop for a second. */
const maxCharacters = 20_000

/** Whether code in a language is highlighted. */
export function isHighlighted(language: string): boolean {
  return highlighter.getLanguage(language) !== undefined
}

/** Highlights code as HTML. Code in an unknown language becomes plain text. */
export function highlightCode(code: string, language: string): Html {
  if (!isHighlighted(language) || code.length > maxCharacters) return html`${code}`
  return raw(highlighter.highlight(code, { language, ignoreIllegals: true }).value)
}

/** Compiles the most common grammars, so that neither the first reader nor concurrent stock reads wait for it. */
export function warmHighlighter() {
  highlightCode('curl -s "$BASE/livez" | sed \'s/a/b/\' # warm', 'sh')
  highlightCode('const { data } = await (await fetch(`x`)).json() // warm', 'ts')
  highlightCode('{"a": [1, "b", null]}', 'json')
}
