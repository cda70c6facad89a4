import { BlockList, isIP, isIPv6 } from 'node:net'
import { type LogLevel, logLevels } from './kernel/log.ts'

/** Everything that can be set, read once. The only reader of the environment's words. */
export interface Config {
  readonly host: string
  readonly port: number
  /** How the outside reaches this gateway; undefined: the address it listens on. */
  readonly baseUrl: string | undefined
  /** Pages in browsers that may call `/mcp`, besides our own. */
  readonly mcpAllowedOrigins: readonly string[]
  readonly dataDir: string
  readonly databaseUrl: string | undefined
  /** Undefined: the admin console is disabled. */
  readonly adminToken: string | undefined
  readonly writesEnabled: boolean
  /** Undefined: the built-in sandbox ERP. */
  readonly upstream: { readonly url: string; readonly token: string } | undefined
  readonly syncIntervalMs: number
  readonly secretsKey: string
  readonly tokenTtlSeconds: number
  readonly legacyTokens: { readonly secret: string | undefined; readonly until: number }
  readonly trustedProxies: BlockList | undefined
  readonly rateLimitPoints: number
  readonly holdTtlSeconds: number
  /** How long the same order of the same recipient is suspected to be sent twice. */
  readonly duplicateWindowSeconds: number
  /** Development: webhooks may go to private addresses, over http and to any port. */
  readonly webhookPrivateNets: boolean
  readonly sandbox: {
    readonly seed: number
    readonly catalogue: string | undefined
    readonly activity: number
  }
  readonly logLevel: LogLevel
  /** Company-level views and their members. */
  readonly views: Readonly<Record<string, readonly string[]>>
}

/** Every problem of a configuration, each a sentence. */
export class ConfigError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

export const defaultDataDir = './data'
const leastSecretsKey = 32
const defaultViews = 'AU=AUSYD1+AUSYD2,CN=CHNZJ1'
const defaultLegacyEnd = '2026-11-30T23:59:59Z'

type Values = Readonly<Record<string, string | undefined>>

/** Reads settings (environment, `.env` and settings file, already laid over each other). Throws `ConfigError`. */
export function readConfig(values: Values): Config {
  const reader = new Reader(values)
  const config = configFrom(reader)
  if (reader.problems.length > 0) throw new ConfigError(reader.problems)
  return config
}

/** What can be set, for the documents: seen by reading a configuration in which nothing is set. */
export interface Setting {
  readonly name: string
  /** What stands where nothing is set. */
  readonly usual: string | undefined
  readonly least?: number
  readonly most?: number
  readonly words?: readonly string[]
}

export function declaredSettings(): readonly Setting[] {
  const reader = new Reader({})
  configFrom(reader)
  return [...reader.asked.values()]
}

function configFrom(reader: Reader): Config {
  const upstreamUrl = reader.url('UPSTREAM_URL', ['http:', 'https:'])
  const upstreamToken = reader.text('UPSTREAM_TOKEN')
  if (upstreamUrl && !upstreamToken)
    reader.problem('UPSTREAM_TOKEN is missing: with UPSTREAM_URL set, the ERP’s connector wants a token.')
  return {
    host: reader.text('HOST', '127.0.0.1') ?? '127.0.0.1',
    port: reader.number('PORT', 8080, 0, 65_535),
    baseUrl: reader.url('BASE_URL', ['http:', 'https:'])?.replace(/\/$/, ''),
    mcpAllowedOrigins: reader.origins('MCP_ALLOWED_ORIGINS'),
    dataDir: reader.text('DATA_DIR', defaultDataDir) ?? defaultDataDir,
    databaseUrl: reader.url('DATABASE_URL', ['postgres:', 'postgresql:']),
    adminToken: reader.text('ADMIN_TOKEN'),
    writesEnabled: reader.flag('WRITES_ENABLED', true),
    upstream: upstreamUrl ? { url: upstreamUrl, token: upstreamToken ?? '' } : undefined,
    syncIntervalMs: reader.number('SYNC_INTERVAL_MS', 1_000, 50, 3_600_000),
    secretsKey: reader.secretsKey(),
    tokenTtlSeconds: reader.number('TOKEN_TTL_SECONDS', 3_600, 1, 86_400),
    legacyTokens: {
      secret: reader.text('LEGACY_TOKEN_SECRET'),
      until: reader.instant('LEGACY_TOKENS_UNTIL', defaultLegacyEnd),
    },
    trustedProxies: reader.networks('TRUST_PROXY'),
    rateLimitPoints: reader.number('RATE_LIMIT_POINTS', 600, 60, 1_000_000_000),
    holdTtlSeconds: reader.number('HOLD_TTL_SECONDS', 900, 1, 86_400),
    duplicateWindowSeconds: reader.number('DUPLICATE_WINDOW_SECONDS', 600, 1, 86_400),
    webhookPrivateNets: reader.flag('WEBHOOK_ALLOW_PRIVATE_NETS', false),
    sandbox: {
      seed: reader.number('SANDBOX_SEED', 1, 0, 2 ** 31),
      catalogue: reader.text('SANDBOX_CATALOGUE'),
      activity: reader.number('SANDBOX_ACTIVITY', 60, 0, 60_000),
    },
    logLevel: reader.word('LOG_LEVEL', logLevels, 'info'),
    views: reader.views('WAREHOUSE_VIEWS', defaultViews),
  }
}

class Reader {
  readonly problems: string[] = []
  readonly asked = new Map<string, Setting>()
  readonly #values: Values

  constructor(values: Values) {
    this.#values = values
  }

  problem(sentence: string) {
    this.problems.push(sentence)
  }

  /** An empty value is as good as none. */
  text(name: string, usual?: string): string | undefined {
    this.#note({ name, usual })
    return this.#given(name)
  }

  /** The first word on a setting is the one with its bounds. */
  #note(setting: Setting) {
    if (!this.asked.has(setting.name)) this.asked.set(setting.name, setting)
  }

  #given(name: string): string | undefined {
    const value = this.#values[name]
    return value === undefined || value === '' ? undefined : value
  }

  number(name: string, usual: number, least: number, most: number): number {
    this.#note({ name, usual: String(usual), least, most })
    const text = this.text(name)
    if (text === undefined) return usual
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (value >= least && value <= most) return value
    this.problem(`${name} is a whole number from ${least} to ${most}, not "${text}".`)
    return usual
  }

  flag(name: string, usual: boolean): boolean {
    this.#note({ name, usual: usual ? '1' : '0', words: ['0', '1'] })
    const text = this.text(name)
    if (text === undefined) return usual
    if (text === '1' || text === 'true') return true
    if (text === '0' || text === 'false') return false
    this.problem(`${name} is 1 or 0, not "${text}".`)
    return usual
  }

  word<T extends string>(name: string, words: readonly T[], usual: T): T {
    this.#note({ name, usual, words })
    const text = this.text(name)
    if (text === undefined) return usual
    const known = words.find((word) => word === text)
    if (!known) this.problem(`${name} is one of ${words.join(', ')}, not "${text}".`)
    return known ?? usual
  }

  url(name: string, protocols: readonly string[]): string | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    if (URL.canParse(text) && protocols.includes(new URL(text).protocol)) return text
    // The value may hold a password, so it is not repeated.
    this.problem(
      `${name} is not a URL that begins with ${protocols.map((each) => `${each}//`).join(' or ')}.`,
    )
    return undefined
  }

  /** `https://agents.example.com, https://desk.example.com:8443`. */
  origins(name: string): string[] {
    const entries = (this.text(name) ?? '').split(',').map((each) => each.trim())
    return entries.filter((entry) => {
      if (entry === '') return false
      const isOrigin = URL.canParse(entry) && new URL(entry).origin === entry
      if (!isOrigin)
        this.problem(`${name} is a list of origins such as https://example.com, and "${entry}" is none.`)
      return isOrigin
    })
  }

  instant(name: string, usual: string): number {
    const text = this.text(name, usual) ?? usual
    const value = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text) ? Date.parse(text) : Number.NaN
    if (!Number.isNaN(value)) return value
    this.problem(`${name} is a time such as ${usual}, not "${text}".`)
    return Date.parse(usual)
  }

  secretsKey(): string {
    const key = this.text('SECRETS_KEY')
    if (key !== undefined && key.length >= leastSecretsKey) return key
    if (key === undefined) this.problem('SECRETS_KEY is missing: set at least 32 random characters.')
    else
      this.problem(
        `SECRETS_KEY has ${key.length} characters; at least ${leastSecretsKey} random ones are needed.`,
      )
    return ''
  }

  networks(name: string): BlockList | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const list = new BlockList()
    for (const entry of text.split(',').map((each) => each.trim())) {
      const [address = '', prefix] = entry.split('/')
      const version = isIP(address)
      const bits = prefix === undefined ? (version === 6 ? 128 : 32) : Number(prefix)
      if (version === 0 || !(Number.isInteger(bits) && bits >= 0 && bits <= (version === 6 ? 128 : 32))) {
        this.problem(`${name} is a list of addresses or networks such as 10.0.0.0/8, and "${entry}" is none.`)
      } else list.addSubnet(address, bits, isIPv6(address) ? 'ipv6' : 'ipv4')
    }
    return list
  }

  /** `AU=AUSYD1+AUSYD2,CN=CHNZJ1`. */
  views(name: string, usual: string): Record<string, readonly string[]> {
    const text = this.text(name, usual) ?? usual
    const entries = text
      .split(',')
      .map((entry) => /^([A-Za-z0-9_-]+)=([A-Za-z0-9_-]+(?:\+[A-Za-z0-9_-]+)*)$/.exec(entry.trim()))
    if (entries.some((entry) => entry === null)) {
      this.problem(`${name} is a list such as ${usual}, not "${text}".`)
      return {}
    }
    return Object.fromEntries(entries.map((entry) => [entry?.[1] ?? '', (entry?.[2] ?? '').split('+')]))
  }
}
