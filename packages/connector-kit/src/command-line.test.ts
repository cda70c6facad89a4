import { linkSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import {
  describeFailure,
  OutputError,
  parseArguments,
  parseNumber,
  parseOptions,
  parseOutputFile,
  parsePort,
  requireDifferentFiles,
  requireInputKept,
  UsageError,
  writeOutputFile,
} from './command-line.ts'
import { ConfigError, UnavailableError } from './settings.ts'

class Explained extends Error {}

describe('the arguments of a command', () => {
  it('are refused with a sentence if they are unknown', () => {
    expect(() => parseOptions(['--prot', '1'], { port: { type: 'string' } })).toThrow(UsageError)
    expect(() => parseOptions(['--prot', '1'], { port: { type: 'string' } })).toThrow('--prot')
  })

  const options = {
    port: { type: 'string', default: '80' },
    twice: { type: 'boolean', short: 't' },
  } as const

  it('are options with their values, and other arguments', () => {
    const { values, positionals } = parseArguments(['a', '--port', '-', '-t', '--', '--port'], options)
    expect({ values: { ...values }, positionals }).toEqual({
      values: { port: '-', twice: true },
      positionals: ['a', '--port'],
    })
    expect(parseOptions(['--port='], options).port).toBe('')
    expect(parseOptions([], options).port).toBe('80')
  })

  it.each([
    [['--prot', '1'], 'There is no option --prot.'],
    [['--toString'], 'There is no option --toString.'],
    [['--port'], '--port has no value.'],
    [['--port', '--twice'], '--port has no value, because "--twice" is an option.'],
    [['--port', '-t'], '--port has no value, because "-t" is an option.'],
    [['--twice=x'], '--twice takes no value, and not "x".'],
    [['a file'], 'This command takes only options, and not "a file".'],
  ])('are refused with one sentence: %j', (argv, message) => {
    expect(() => parseOptions(argv, options)).toThrow(new UsageError(message))
  })

  it.each([['--port', '-1'], ['--port=-1']])(
    'may be a negative number, for which bounds are known: %s',
    (...argv) => {
      expect(parseOptions(argv, options).port).toBe('-1')
    },
  )

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

describe('the file that a command is to write', () => {
  const folder = mkdtempSync(join(tmpdir(), 'output-file-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const taken = join(folder, 'taken.json')
  writeFileSync(taken, 'kept')

  it('is a new file, one to replace, or a device, and is not written yet', () => {
    for (const path of [join(folder, 'new.json'), taken, '/dev/null', 'beside-me.json'])
      expect(parseOutputFile('report', path)).toBe(path)
    expect(parseOutputFile('report', undefined)).toBe(undefined)
    expect(readdirSync(folder)).toEqual(['taken.json'])
    expect(readFileSync(taken, 'utf8')).toBe('kept')
  })

  it.each([
    ['an empty name', '', /^--report must be the name of a file, not ""\.$/],
    ['a folder', folder, /it is a folder\. Add the name of a file\.$/],
    ['a folder by its slash', `${join(folder, 'none')}/`, /a name that ends with "\/" means a folder\./],
    ['a file with a slash', `${taken}/`, /a name that ends with "\/" means a folder\./],
    [
      'a file in a missing folder',
      join(folder, 'none', 'a.json'),
      /there is no folder ".*none"\. Create the folder, or choose another file\.$/,
    ],
    ['a file below a file', join(taken, 'a.json'), /: ".*taken\.json" is a file, not a folder\. Choose/],
    ['a file deep below a file', join(taken, 'b', 'a.json'), /: ".*taken\.json" is a file, not a folder\./],
    ['a name that is too long', join(folder, 'a'.repeat(300)), /ENAMETOOLONG.*\. Choose another file\.$/],
  ])('is refused with a sentence that shows it: %s', (_, path, message) => {
    expect(() => parseOutputFile('report', path)).toThrow(UsageError)
    expect(() => parseOutputFile('report', path)).toThrow(message)
    expect(() => parseOutputFile('report', path)).toThrow(`"${path}"`)
  })

  // What the kernel shows below /proc/sys is closed to root, too, whom no mode of a file stops.
  it.runIf(process.platform === 'linux').each(['/proc/sys/kernel/ostype', '/proc/sys/kernel/new'])(
    'is refused if the file or its folder cannot be written: %s',
    (path) => {
      expect(() => parseOutputFile('history', path)).toThrow(UsageError)
      expect(() => parseOutputFile('history', path)).toThrow(
        /^--history cannot write ".*": (EACCES|EROFS): .*\. Choose another file\.$/,
      )
    },
  )
})

describe('the files of a command', () => {
  const folder = mkdtempSync(join(tmpdir(), 'files-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const orders = join(folder, 'orders.csv')
  writeFileSync(orders, 'kept')
  const [linked, hard, below] = [join(folder, 'linked'), join(folder, 'hard'), join(folder, 'below')]
  symlinkSync(orders, linked)
  linkSync(orders, hard)
  symlinkSync(folder, below)

  it.each([orders, linked, hard, join(below, 'orders.csv'), join(folder, '.', 'x', '..', 'orders.csv')])(
    'do not replace the one that is read, by whatever name: %s',
    (file) => {
      expect(() => requireInputKept(orders, { report: undefined, history: file })).toThrow(
        new UsageError(`--history cannot replace "${file}", which the command reads. Name another file.`),
      )
    },
  )

  it('are different ones, also those that do not exist yet', () => {
    const fresh = { report: join(folder, 'new'), history: join(below, 'new') }
    expect(() => requireDifferentFiles(fresh)).toThrow('--report and --history cannot both write')
    expect(() => requireDifferentFiles({ report: orders, history: linked })).toThrow(UsageError)
    requireDifferentFiles({ report: orders, history: join(below, 'new') })
    requireInputKept('a'.repeat(300), { report: orders })
    requireInputKept(join(folder, 'missing'), { report: orders, history: join(folder, 'new') })
  })

  it.runIf(process.platform === 'linux')('are named if they cannot be written', () => {
    expect(() => writeOutputFile('/dev/full', 'text')).toThrow(OutputError)
    expect(() => writeOutputFile('/dev/full', 'text')).toThrow(
      /^\/dev\/full cannot be written: ENOSPC: .*\.$/,
    )
  })
})

describe('a command that fails', () => {
  it('shows its usage only for wrong arguments', () => {
    expect(describeFailure(new UsageError('No.'), 'Usage: x\n')).toEqual({
      code: 64,
      text: 'No.\n\nUsage: x\n',
    })
    expect(describeFailure(new OutputError('/x', 'full'), 'Usage: x\n')).toEqual({
      code: 1,
      text: '/x cannot be written: full.\n',
    })
    expect(describeFailure(new ConfigError('Set X.'), 'Usage: x\n')).toEqual({ code: 78, text: 'Set X.\n' })
    expect(describeFailure(new UnavailableError('X is down.'), 'Usage: x\n')).toEqual({
      code: 75,
      text: 'X is down.\n',
    })
  })

  it('shows where an error came from that its message does not explain', () => {
    expect(describeFailure(new Explained('Full.'), '', [Explained])).toEqual({ code: 1, text: 'Full.\n' })
    expect(describeFailure(new TypeError('Lost.'), '', [Explained]).text).toMatch(/TypeError: Lost\.\n\s+at /)
  })
})
