import { expect, it } from 'vitest'
import { formatAgain } from './again.ts'
import { parseCommandLine } from './command-line.ts'
import { commands } from './commands.ts'

const format = (argv: readonly string[], env = {}) =>
  formatAgain(parseCommandLine(argv, env, commands), 'stock', 'watch', "it's AU")

it('quotes what a shell would change', () => {
  expect(format(['stock', 'watch', 'AU'])).toBe(`tgw stock watch 'it'\\''s AU'`)
})

it('repeats the profile of the line, and not that of the environment', () => {
  expect(format(['stock', 'watch', 'AU', '--profile', 'shop'])).toMatch(/ --profile shop$/)
  expect(format(['stock', 'watch', 'AU'], { TGW_PROFILE: 'shop' })).not.toContain('--profile')
})
