import { describe, expect, it } from 'vitest'
import { parseCommandLine } from './command-line.ts'
import { commands } from './commands.ts'
import { complete } from './complete.ts'
import { formatCommandHelp, formatGroupHelp, formatProgramHelp } from './help.ts'
import { nearest } from './nearest.ts'

const visible = commands.filter(({ isHidden }) => !isHidden)

describe('help', () => {
  it('has an example for each command, and each is a command line that the parser takes', () => {
    for (const command of visible) {
      const text = formatCommandHelp(command)
      const [first] = command.examples
      expect(text).toContain(`tgw ${first?.[0] ?? 'no example'}`)
      for (const [line] of command.examples) {
        const words =
          line
            .split(/ [|<>] | -H |; /)[0]
            ?.replaceAll('"', '')
            .split(' ') ?? []
        expect(parseCommandLine(words, {}, commands).command?.name, line).toBe(command.name)
      }
    }
  })

  it('lists every command', () => {
    const program = formatProgramHelp(commands)
    for (const { name } of visible) {
      const [group = '', second] = name.split(' ')
      expect(program).toContain(`\n  ${group} `)
      if (second !== undefined) expect(formatGroupHelp(group, commands)).toContain(`  ${name}  `)
    }
  })
})

describe('the command line', () => {
  const read = (...argv: string[]) => parseCommandLine(argv, { TGW_LANG: 'zh', TGW_PROFILE: '' }, commands)

  it('takes options before, between and after the words', () => {
    const { command, globals, given } = read('--profile', 'p', 'stock', '--json', 'get', 'A-1', '-w', 'AU')
    expect(command?.name).toBe('stock get')
    expect(globals).toMatchObject({ profile: 'p', json: true, lang: 'zh' })
    expect(given).toMatchObject({ args: { sku: 'A-1' }, options: { warehouse: 'AU', all: false } })
  })

  it('takes the names that others use', () => {
    expect(read('orders', 'list').command?.name).toBe('order list')
    const { command, given } = read('trace', 'req_1', '--json')
    expect([command?.name, given]).toEqual(['requests get', { args: { request_id: 'req_1' }, options: {} }])
    expect(read('version').isVersionAsked).toBe(true)
  })

  it.each([
    [['stok'], 'tgw stock'],
    [['webhooks', 'lisen'], 'tgw webhooks listen'],
    [['stock', 'pull', 'A', '--fromat', 'csv'], '--format'],
    [['stock', 'pull', 'A', '--format', 'cvs'], 'csv'],
    [['order', 'get'], 'ORDER_ID is missing'],
    [['whoami', 'me'], 'one argument too many'],
    [['login', '--password', 'x'], 'can read a command line'],
    [['api', 'GET'], 'PATH is missing'],
    [['completion', 'bahs'], 'Did you mean "bash"'],
    [['webhooks', 'trigger', 'stock.change'], 'Did you mean "stock.changed"'],
  ])('refuses %j', (argv, text) => {
    expect(() => read(...argv)).toThrow(text)
  })
})

describe('completion', () => {
  it('offers commands, options and values', () => {
    expect(complete(['sto'], commands)).toEqual(['stock'])
    expect(complete(['stock', ''], commands)).toEqual(['get', 'pull', 'watch'])
    expect(complete(['stock', 'pull', '--fo'], commands)).toEqual(['--format'])
    expect(complete(['stock', 'pull', 'AU', '--format', ''], commands)).toEqual(['csv', 'ndjson'])
    expect(complete(['compl'], commands)).toEqual(['completion'])
    expect(complete(['completion', ''], commands)).toEqual(['bash', 'zsh', 'fish'])
    expect(complete(['webhooks', 'trigger', 'st'], commands)).toEqual(['stock.changed'])
    expect(complete(['webhooks', 'trigger', 'stock.changed', ''], commands)).toEqual([])
  })
})

describe('suggestions', () => {
  it('are near, or there is none', () => {
    expect(nearest('lits', ['list', 'listen'])).toBe('list')
    expect(nearest('qwertz', ['list', 'listen'])).toBeUndefined()
  })
})
