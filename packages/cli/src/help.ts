import type { ArgumentSpecs, Declaration, OptionSpecs } from './declaration.ts'
import { exitMeanings } from './failures.ts'
import { globalOptions } from './global-options.ts'

/** What the groups of commands are about. */
const groups: Readonly<Record<string, string>> = {
  profiles: 'the gateways and accounts that you have signed in to',
  stock: 'read, download and follow stock',
  products: 'look goods up',
  order: 'wholesale orders: draft, preview, submit, void',
  dropship: 'drop-ship orders: preview, submit, release, void',
  webhooks: 'receive events on your machine, trigger them, send them again',
  requests: 'what the gateway knows of an earlier request',
  errors: 'error codes, explained',
  sandbox: 'steer the built-in ERP of a sandbox',
  mcp: 'connect an agent',
}

export function formatProgramHelp(commands: readonly Declaration[]): string {
  const visible = commands.filter(({ isHidden }) => !isHidden)
  const rows: (readonly [string, string])[] = []
  for (const { name, summary } of visible) {
    const [first = '', second] = name.split(' ')
    if (second === undefined) rows.push([first, summary])
    else if (!rows.some(([each]) => each === first)) rows.push([first, groups[first] ?? ''])
  }
  return `Trade Gateway on the command line.

Examples:
  tgw login --sandbox data/sandbox.json     sign in to a sandbox on this machine
  tgw quickstart                            place a first order, step by step
  tgw stock get SBX-SHORT-3                 read the stock of a SKU
  tgw webhooks listen --forward-to :3000    receive events on this machine

Commands:
${formatRows(rows)}
Options of every command:
${formatOptions(globalOptions)}
Exit codes:
${formatRows(exitMeanings.map(([code, meaning]) => [String(code), meaning]))}
Agents: \`tgw commands --json\` describes every command. Data is on standard output, everything else on standard error.
`
}

export function formatGroupHelp(group: string, commands: readonly Declaration[]): string {
  const own = commands.filter(({ name, isHidden }) => name.startsWith(`${group} `) && !isHidden)
  return `Usage: tgw ${group} COMMAND

${capitalize(groups[group] ?? '')}.

Commands:
${formatRows(own.map(({ name, summary }) => [name, summary]))}
\`tgw ${group} COMMAND --help\` says more.
`
}

export function formatCommandHelp(command: Declaration): string {
  const { name, summary, description, examples, options, args, agents } = command
  const parts = [
    `Usage: tgw ${formatUsage(command)}\n\n${capitalize(summary)}.${description ? ` ${description}` : ''}\n`,
    examples.length > 0 && `Examples:\n${formatRows(examples.map(([line, what]) => [`tgw ${line}`, what]))}`,
    Object.keys(args).length > 0 && `Arguments:\n${formatArguments(args)}`,
    Object.keys(options).length > 0 && `Options:\n${formatOptions(options)}`,
    `Options of every command:\n${formatOptions(globalOptions)}`,
    agents && `Agents: ${agents}\n`,
  ]
  return parts.filter((part) => typeof part === 'string' && part !== '').join('\n') || name
}

/** The command with its arguments, as in a usage line. */
export function formatUsage({ name, args, options }: Declaration): string {
  const words = Object.entries(args).map(([each, { isOptional }]) =>
    isOptional ? `[${each.toUpperCase()}]` : each.toUpperCase(),
  )
  return [name, ...words, ...(Object.keys(options).length > 0 ? ['[options]'] : [])].join(' ')
}

function formatArguments(args: ArgumentSpecs): string {
  return formatRows(Object.entries(args).map(([name, { help }]) => [name.toUpperCase(), help]))
}

function formatOptions(options: OptionSpecs): string {
  return formatRows(
    Object.entries(options).map(([name, { short, value, type, help, choices }]) => {
      const shown = type === 'string' ? ` ${value ?? 'VALUE'}` : ''
      const which = choices ? ` (${choices.join(', ')})` : ''
      return [`${short ? `-${short}, ` : ''}--${name}${shown}`, help + which]
    }),
  )
}

function formatRows(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(0, ...rows.map(([first]) => first.length))
  return rows.map(([first, second]) => `  ${first.padEnd(width)}  ${second}\n`).join('')
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
