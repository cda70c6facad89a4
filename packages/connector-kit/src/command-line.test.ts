import { describe, expect, it } from 'vitest'
import { describeFailure, parseNumber, parseOptions, parsePort, UsageError } from './command-line.ts'
import { ConfigError } from './settings.ts'

class Explained extends Error {}

describe('the arguments of a command', () => {
  it('are refused with a sentence if they are unknown', () => {
    expect(() => parseOptions(['--prot', '1'], { port: { type: 'string' } })).toThrow(UsageError)
    expect(() => parseOptions(['--prot', '1'], { port: { type: 'string' } })).toThrow('--prot')
  })

  it.each(['0', '-1', '1e3', '', '10000', '0x10', '99999999999'])(
    'are refused if a number from 1 to 9999 is "%s"',
    (text) => {
      expect(() => parseNumber('styles', text, { min: 1, max: 9_999 })).toThrow(
        `--styles must be a whole number from 1 to 9999, not "${text}".`,
      )
    },
  )

  it('are numbers up to their bounds', () => {
    expect(parseNumber('styles', '9999', { min: 1, max: 9_999 })).toBe(9_999)
    expect(parsePort('port', '65535')).toBe(65_535)
    expect(parsePort('port', '0', 0)).toBe(0)
    expect(() => parsePort('port', '65536')).toThrow(UsageError)
    expect(() => parsePort('port', '0')).toThrow(UsageError)
  })
})

describe('a command that fails', () => {
  it('shows its usage only for wrong arguments', () => {
    expect(describeFailure(new UsageError('No.'), 'Usage: x\n')).toEqual({
      code: 64,
      text: 'No.\n\nUsage: x\n',
    })
    expect(describeFailure(new ConfigError('Set X.'), 'Usage: x\n')).toEqual({ code: 78, text: 'Set X.\n' })
  })

  it('shows where an error came from that its message does not explain', () => {
    expect(describeFailure(new Explained('Full.'), '', [Explained])).toEqual({ code: 1, text: 'Full.\n' })
    expect(describeFailure(new TypeError('Lost.'), '', [Explained]).text).toMatch(/TypeError: Lost\.\n\s+at /)
  })
})
