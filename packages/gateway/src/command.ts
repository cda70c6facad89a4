#!/usr/bin/env node
/**
 * The command `trade-gateway` of the published package: the gateway, or with `audit`, `backup`, `restore` or
 * `sandbox-erp` as its first argument what `npm run audit` and the others are in a checkout. It imports the program only after it has
 * checked Node's version, because an older Node fails at an import with a message that does not name the reason.
 */

const required = { major: 24, minor: 12 } as const
const configurationError = 78

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < required.major || (major === required.major && minor < required.minor)) {
  process.stderr.write(
    `Trade Gateway requires Node ${required.major}.${required.minor} or newer, and this is Node ${process.versions.node}. Install a newer one, or use the image.\n`,
  )
  process.exit(configurationError)
}

const [, , subcommand] = process.argv
if (['audit', 'backup', 'restore', 'sandbox-erp'].includes(subcommand ?? '')) process.argv.splice(2, 1)
if (subcommand === 'audit') await import('./audit-command.ts')
else if (subcommand === 'backup') await import('./backup-command.ts')
else if (subcommand === 'restore') await import('./restore-command.ts')
else if (subcommand === 'sandbox-erp') await import('@trade-gateway/sandbox-erp/main')
else await import('./main.ts')

export {}
