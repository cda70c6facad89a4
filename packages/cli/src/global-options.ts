import type { OptionSpecs } from './declaration.ts'

/** The options of every command. */
export const globalOptions = {
  profile: { type: 'string', value: 'NAME', help: 'the profile to use (TGW_PROFILE)' },
  'base-url': { type: 'string', value: 'URL', help: 'the gateway, without /api/v1 (TGW_BASE_URL)' },
  lang: {
    type: 'string',
    value: 'LANG',
    help: 'the language of the gateway’s messages (TGW_LANG)',
    choices: ['en', 'zh', 'ko'],
  },
  timeout: {
    type: 'string',
    value: 'SECONDS',
    help: 'how long a call may take with its retries; default 120',
  },
  json: { type: 'boolean', help: 'print JSON, one value a line' },
  quiet: { type: 'boolean', short: 'q', help: 'print data and failures only' },
  debug: { type: 'boolean', help: 'print each request on standard error (TGW_LOG=debug)' },
  yes: { type: 'boolean', short: 'y', help: 'do not ask before a write outside a sandbox' },
  'no-input': { type: 'boolean', help: 'never ask' },
  'no-color': { type: 'boolean', help: 'no colours (NO_COLOR)' },
} as const satisfies OptionSpecs
