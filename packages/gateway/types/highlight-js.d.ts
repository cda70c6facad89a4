/**
 * What is used of highlight.js. Its own types pull in the DOM's (`reference lib="dom"`), whose globals would then pass
 * the compiler everywhere in a program that has none of them; `paths` in `tsconfig.json` puts these in their place.
 */
interface Mode {
  readonly scope?: string
  readonly begin: RegExp
}

export interface Grammar {
  readonly contains: readonly (Mode | 'self')[]
}

export type Language = (library: Highlighter) => Grammar

export interface Highlighter {
  newInstance(): Highlighter
  configure(options: { readonly classPrefix: string }): void
  registerLanguage(name: string, language: Language): void
  registerAliases(aliases: readonly string[], options: { readonly languageName: string }): void
  getLanguage(name: string): Grammar | undefined
  highlight(
    code: string,
    options: { readonly language: string; readonly ignoreIllegals: boolean },
  ): { readonly value: string }
}

/** `highlight.js/lib/core` is a highlighter, `highlight.js/lib/languages/*` are languages. */
declare const exported: Highlighter & Language
export default exported
