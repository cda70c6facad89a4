import type { Declaration, OptionSpecs } from './declaration.ts'
import { globalOptions } from './global-options.ts'

/** Lists what can stand in the place of the last of the words. */
export function complete(words: readonly string[], commands: readonly Declaration[]): string[] {
  const visible = commands.filter(({ isHidden }) => !isHidden)
  const current = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const names = before.filter((word) => !word.startsWith('-'))
  const found = visible.find(
    ({ name }) => name === names[0] || (names.length > 1 && name === `${names[0]} ${names[1]}`),
  )
  const options: OptionSpecs = { ...globalOptions, ...found?.options }
  const former = before.at(-1)
  const choices = former?.startsWith('--') ? options[former.slice(2)]?.choices : undefined
  const candidates = choices ?? listCandidates(current, names, found, options, visible)
  return [...new Set(candidates)].filter((each) => each.startsWith(current))
}

function listCandidates(
  current: string,
  names: readonly string[],
  found: Declaration | undefined,
  options: OptionSpecs,
  visible: readonly Declaration[],
): readonly string[] {
  if (current.startsWith('-')) return Object.keys(options).map((name) => `--${name}`)
  if (found) {
    const given = names.length - found.name.split(' ').length
    return Object.values(found.args)[given]?.choices ?? []
  }
  if (names.length === 0) return visible.map(({ name }) => name.split(' ')[0] ?? '')
  return visible
    .filter(({ name }) => names.length === 1 && name.startsWith(`${names[0]} `))
    .map(({ name }) => name.split(' ')[1] ?? '')
}
