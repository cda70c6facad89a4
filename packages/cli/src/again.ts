import type { Context } from './context.ts'

/** Formats a command line to type, with the profile of this one. A word that a shell would change is quoted. */
export function formatAgain({ globals }: Pick<Context, 'globals'>, ...words: readonly string[]): string {
  const { profile: name, isProfileOption } = globals
  const profile = name !== undefined && isProfileOption ? ['--profile', name] : []
  return ['tgw', ...words, ...profile].map(quote).join(' ')
}

function quote(word: string): string {
  return /^[\w./:@%+,=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
