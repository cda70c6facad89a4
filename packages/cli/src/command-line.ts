import { type ParseArgsConfig, parseArgs } from 'node:util'
import type { Command, Given } from './command.ts'
import type { GlobalOptions } from './context.ts'
import type { OptionSpec, OptionSpecs } from './declaration.ts'
import type { Environment } from './environment.ts'
import { UsageError } from './failures.ts'
import { globalOptions } from './global-options.ts'
import { nearest } from './nearest.ts'

const helpOptions = {
  help: { type: 'boolean', short: 'h', help: 'print help' },
  version: { type: 'boolean', short: 'V', help: 'print the version' },
} as const satisfies OptionSpecs

/** Words of options with which other programs take a secret. Other users can read a command line. */
const secretOptions = ['password', 'secret', 'client-secret', 'token', 'access-token', 'admin-token']
/** What others call our groups, a command and an option. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['orders', 'order'],
  ['product', 'products'],
  ['webhook', 'webhooks'],
  ['request', 'requests'],
  ['error', 'errors'],
  ['profile', 'profiles'],
  ['statements', 'statement'],
  ['trace', 'requests get'],
  ['version', '--version'],
])

/** What a command line asks for. */
export interface CommandLine {
  readonly globals: GlobalOptions
  readonly command: Command | undefined
  /** The first word of commands with two words, if only that was typed. */
  readonly group: string | undefined
  readonly given: Given
  readonly isHelpAsked: boolean
  readonly isVersionAsked: boolean
  /** What follows `--`, as it is. */
  readonly words: readonly string[]
}

/** Reads a command line. Throws `UsageError` with a suggestion. */
export function parseCommandLine(
  argv: readonly string[],
  env: Environment,
  commands: readonly Command[],
): CommandLine {
  const { words, rest } = takeWords(argv, commands)
  const { command, group } = findCommand(words, commands)
  const options = { ...globalOptions, ...helpOptions, ...command?.options }
  const { values, positionals } = parseOptions(rest, options, command)
  const isHelpAsked = values.help === true || words[0] === 'help'
  const isVersionAsked = values.version === true
  const globals = readGlobals(values, env)
  const isRun = command !== undefined && !isHelpAsked && !isVersionAsked
  if (!command && positionals.length > 0 && !isHelpAsked)
    throw refuseWord(group, positionals[0] ?? '', commands)
  return {
    globals,
    command,
    group,
    given: isRun ? readGiven(command, values, positionals) : { options: {}, args: {} },
    isHelpAsked,
    isVersionAsked,
    words: positionals,
  }
}

type Values = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>

/** Takes the words of the command out of the arguments. Options may stand before and between them. */
function takeWords(argv: readonly string[], commands: readonly Command[]) {
  const words: string[] = []
  const rest: string[] = []
  let isDone = false
  for (let index = 0; index < argv.length; index++) {
    const each = argv[index] ?? ''
    if (isDone || each === '--') {
      rest.push(...argv.slice(index))
      break
    }
    if (each.startsWith('-')) {
      rest.push(each)
      if (takesValue(each) && index + 1 < argv.length) rest.push(argv[++index] ?? '')
    } else {
      const alias = words.length === 0 ? aliases.get(each) : undefined
      const meant = alias?.split(' ') ?? [each]
      if (meant[0]?.startsWith('-')) rest.push(...meant)
      else words.push(...meant)
    }
    const named = words[0] === 'help' ? words.slice(1) : words
    isDone = isComplete(named, commands)
  }
  return { words, rest }
}

/** Whether no further word can belong to the name of the command. */
function isComplete(words: readonly string[], commands: readonly Command[]): boolean {
  if (words.length === 0) return false
  if (words.length >= 2) return true
  return !commands.some(({ name }) => name.startsWith(`${words[0]} `))
}

function takesValue(option: string): boolean {
  const name = option.replace(/^--?/, '')
  const spec: OptionSpec | undefined = Object.entries(globalOptions).find(([each]) => each === name)?.[1]
  return spec?.type === 'string'
}

function findCommand(words: readonly string[], commands: readonly Command[]) {
  const named = words[0] === 'help' ? words.slice(1) : words
  const name = named.join(' ')
  const command = commands.find((each) => each.name === name)
  if (command || named.length === 0) return { command, group: undefined }
  const isGroup = commands.some((each) => each.name.startsWith(`${named[0]} `))
  if (isGroup && named.length === 1) return { command: undefined, group: named[0] }
  const single = commands.find((each) => each.name === named[0])
  if (single) return { command: single, group: undefined }
  throw refuseWord(isGroup ? named[0] : undefined, named[isGroup ? 1 : 0] ?? '', commands)
}

function refuseWord(group: string | undefined, word: string, commands: readonly Command[]): UsageError {
  const visible = commands.filter(({ isHidden }) => !isHidden)
  const candidates =
    group === undefined
      ? [...new Set([...visible.map(({ name }) => name.split(' ')[0] ?? ''), 'help'])]
      : visible.filter(({ name }) => name.startsWith(`${group} `)).map(({ name }) => name.split(' ')[1] ?? '')
  const prefix = group === undefined ? '' : `${group} `
  const similar = nearest(word, candidates)
  return new UsageError(
    `There is no command "${prefix}${word}".${similar ? ` Did you mean "tgw ${prefix}${similar}"?` : ''}`,
    `\`tgw ${prefix}--help\` lists the commands.`,
  )
}

function parseOptions(args: readonly string[], options: OptionSpecs, command: Command | undefined) {
  const config = Object.fromEntries(
    Object.entries(options).map(([name, { type, short, multiple }]) => [
      name,
      { type, ...(short ? { short } : {}), ...(multiple ? { multiple } : {}) },
    ]),
  ) satisfies ParseArgsConfig['options']
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: config, allowPositionals: true })
    return { values: checkChoices(values, options), positionals }
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw refuseOption(error, options, command)
  }
}

function checkChoices(values: Values, options: OptionSpecs): Values {
  for (const [name, { choices }] of Object.entries(options)) {
    const value = values[name]
    if (choices && typeof value === 'string') requireChoice(`--${name}`, value, choices)
  }
  return values
}

/** Throws `UsageError` with a suggestion if a value is none of those that are possible. */
export function requireChoice(name: string, value: string, choices: readonly string[]): void {
  if (choices.includes(value)) return
  const similar = nearest(value, choices)
  throw new UsageError(
    `${name} cannot be "${value}".${similar ? ` Did you mean "${similar}"?` : ''}`,
    `It is one of: ${choices.join(', ')}.`,
  )
}

function refuseOption(error: unknown, options: OptionSpecs, command: Command | undefined): UsageError {
  const message = error instanceof Error ? error.message : String(error)
  const [, name = ''] = /'--?([\w-]+)/.exec(message) ?? []
  const help = `\`tgw ${command ? `${command.name} ` : ''}--help\` lists the options.`
  if (secretOptions.includes(name))
    return new UsageError(
      `--${name} is not an option: other users of this machine can read a command line.`,
      'Set it in the environment (TGW_PASSWORD, TGW_CLIENT_SECRET, TGW_TOKEN, TGW_ADMIN_TOKEN), pipe it to `tgw login --secret-stdin`, or let `tgw login` ask for it.',
    )
  const isUnknown = message.startsWith('Unknown option')
  const similar = isUnknown ? nearest(name, Object.keys(options)) : undefined
  const first = isUnknown ? `There is no option "--${name}".` : `${message.split('. ')[0]}.`
  return new UsageError(`${first}${similar ? ` Did you mean "--${similar}"?` : ''}`, help)
}

function readGlobals(values: Values, env: Environment): GlobalOptions {
  const text = (name: string, variable?: string) => {
    const value = values[name]
    if (typeof value === 'string') return value
    return (variable && env[variable]) || undefined
  }
  return {
    profile: text('profile', 'TGW_PROFILE'),
    isProfileOption: typeof values.profile === 'string' && values.profile !== '',
    'base-url': text('base-url', 'TGW_BASE_URL'),
    lang: text('lang', 'TGW_LANG'),
    timeout: text('timeout'),
    json: values.json === true,
    quiet: values.quiet === true,
    debug: values.debug === true || env.TGW_LOG === 'debug',
    yes: values.yes === true,
    'no-input': values['no-input'] === true,
    'no-color': values['no-color'] === true,
  }
}

function readGiven(command: Command, values: Values, positionals: readonly string[]): Given {
  const names = Object.entries(command.args)
  const missing = names[positionals.length]
  if (missing && !missing[1].isOptional)
    throw new UsageError(`${missing[0].toUpperCase()} is missing: ${missing[1].help}.`, hintOf(command))
  if (positionals.length > names.length && !command.isHidden)
    throw new UsageError(`"${positionals[names.length]}" is one argument too many.`, hintOf(command))
  for (const [index, [name, { choices }]] of names.entries()) {
    const value = positionals[index]
    if (choices && value !== undefined) requireChoice(name.toUpperCase(), value, choices)
  }
  const options = Object.entries(command.options).map(([name, { type, multiple }]) => {
    const value = values[name]
    if (type === 'boolean') return [name, value === true]
    return [name, multiple ? (value ?? []) : value]
  })
  return {
    options: Object.fromEntries(options),
    args: Object.fromEntries(positionals.map((value, index) => [names[index]?.[0] ?? '', value])),
  }
}

function hintOf({ name, examples }: Command): string {
  return examples[0] ? `For example: tgw ${examples[0][0]}` : `\`tgw ${name} --help\` says more.`
}
