import { z } from 'zod'
import { type LogLevel, logLevels } from './kernel/log.ts'
import { isAddress, Networks, parseNetwork } from './kernel/networks.ts'
import { findNearestWord } from './kernel/spelling.ts'

/** Every setting, read once. Only this file reads the environment. */
export interface Config {
  readonly host: string
  readonly port: number
  /** The URL at which clients reach this gateway; undefined: the address that it listens on. */
  readonly baseUrl: string | undefined
  /** Origins of web pages that may call `/mcp`, besides the gateway's own. */
  readonly mcpAllowedOrigins: readonly string[]
  readonly dataDir: string
  /** How many processes the supervisor keeps running on the port. */
  readonly processes: number
  /** The number of this process among them, from 1; undefined without a supervisor. */
  readonly processNumber: number | undefined
  readonly databaseUrl: string | undefined
  /** The server in which processes share counts; undefined: each process counts for itself. May contain a password. */
  readonly valkeyUrl: string | undefined
  /** If undefined, the operator's endpoints are disabled. */
  readonly adminToken: string | undefined
  /** Who may read `/metrics`. Undefined leaves only the admin token; `isPublic` opens it to everybody. */
  readonly metrics: { readonly token: string | undefined; readonly isPublic: boolean }
  readonly writesEnabled: boolean
  /** Undefined selects the built-in sandbox ERP. */
  readonly upstream: { readonly url: string; readonly token: string } | undefined
  readonly syncIntervalMs: number
  /** `SECRETS_KEY` and `SECRETS_KEY_PREVIOUS`. */
  readonly secretsKeys: { readonly present: string; readonly previous: string | undefined }
  readonly tokenTtlSeconds: number
  readonly legacyTokens: { readonly secret: string | undefined; readonly until: number }
  readonly trustedProxies: Networks | undefined
  readonly rateLimitPoints: number
  readonly holdTtlSeconds: number
  /** The time in which a second order for the same recipient is suspected to be a duplicate. */
  readonly duplicateWindowSeconds: number
  /** For development: webhooks may go to private addresses, over http and to any port. */
  readonly webhookPrivateNets: boolean
  readonly sandbox: {
    readonly seed: number
    /** The number of styles in the built-in catalogue; it has about ten times as many SKUs. */
    readonly styles: number
    readonly catalogue: string | undefined
    readonly activity: number
  }
  /** Where traces are exported to, and the share of traces that begin here; undefined exports none. */
  readonly traces: { readonly url: string; readonly share: number } | undefined
  readonly logLevel: LogLevel
  /** Which requests are recorded in the request log: none, writes with failures and slow reads, or all. */
  readonly logRequests: (typeof requestLogModes)[number]
  readonly requestLogDays: number
  readonly auditDays: number
  /** How long after the end of a drop-ship order its recipient is kept; undefined keeps it. */
  readonly recipientRetentionDays: number | undefined
  /** Company-level views and their member warehouses. */
  readonly views: Readonly<Record<string, readonly string[]>>
  /** Every documented setting as it was given, for operators. */
  readonly settings: readonly SettingState[]
}

export const settingSources = ['environment', 'file', 'default'] as const

/** A setting as it applies. */
export interface SettingState {
  readonly name: string
  /** The value as it is written; null if the setting is a secret, or has neither a value nor a default. */
  readonly value: string | null
  readonly source: (typeof settingSources)[number]
  readonly secret: boolean
  /** Whether a value was given. */
  readonly set: boolean
}

/** The error that lists every problem of a configuration, each as a sentence. */
export class ConfigError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

export const defaultDataDir = './data'
const minSecretCharacters = 32
const requestLogModes = ['none', 'notable', 'all'] as const
const defaultLegacyEnd = '2026-11-30T23:59:59Z'
const defaultViews = 'AU=AUSYD1+AUSYD2,CN=CHNZJ1'

/** A setting, as the documentation describes it. */
export interface Setting {
  readonly name: string
  /** The default, if the setting has one. */
  readonly usual: string | undefined
  readonly least?: number
  readonly most?: number
  readonly words?: readonly string[]
}

const facts = z.registry<Omit<Setting, 'name'>>()
/** Names that end like this are those of secrets, whatever parser they have. */
const secretName = /(?:TOKEN|SECRET|KEY|PASSWORD)(?:_PREVIOUS|_\d+)?$/
/** The parsers of URLs, which may contain a password. */
const urlParsers = new WeakSet<object>()

/**
 * What a header can carry (RFC 9110 §5.5): the value without white space around it, the rest of a value, and a bearer
 * token that is compared. Letters such as `ü` can be sent as one byte, although not every client does so.
 */
const wholeHeader = /^[\x21-\x7e\x80-\xff][\t\x20-\x7e\x80-\xff]*$/
const headerEnd = /^[\t\x20-\x7e\x80-\xff]+$/
const headerWord = /^[\x21-\x7e\x80-\x9f\xa1-\xff]+$/

/**
 * Every setting and its parser. A message about a wrong value continues a sentence that begins with the setting's name.
 * It repeats the value only if the value cannot be a secret.
 */
const settings = {
  HOST: withDefault('127.0.0.1', hostSetting()),
  PORT: numberSetting(8080, { least: 0, most: 65_535 }),
  BASE_URL: urlSetting('http:', 'https:').optional(),
  MCP_ALLOWED_ORIGINS: entriesSetting(isOrigin, 'origins such as https://example.com').optional(),
  DATA_DIR: withDefault(defaultDataDir, z.string()),
  DATABASE_URL: urlSetting('postgres:', 'postgresql:').optional(),
  VALKEY_URL: valkeyUrlSetting().optional(),
  PROCESSES: numberSetting(1, { least: 1, most: 64 }),
  ADMIN_TOKEN: headerSetting(secretSetting(), wholeHeader).optional(),
  METRICS_TOKEN: headerSetting(secretSetting(), headerWord).optional(),
  METRICS_PUBLIC: flagSetting(false),
  WRITES_ENABLED: flagSetting(true),
  UPSTREAM_URL: urlSetting('http:', 'https:').optional(),
  UPSTREAM_TOKEN: headerSetting(z.string(), headerEnd).optional(),
  SYNC_INTERVAL_MS: numberSetting(1_000, { least: 50, most: 3_600_000 }),
  SECRETS_KEY: secretSetting(),
  SECRETS_KEY_PREVIOUS: secretSetting().optional(),
  TOKEN_TTL_SECONDS: numberSetting(3_600, { least: 1, most: 86_400 }),
  LEGACY_TOKEN_SECRET: secretSetting().optional(),
  LEGACY_TOKENS_UNTIL: withDefault(defaultLegacyEnd, instantSetting(defaultLegacyEnd)),
  TRUST_PROXY: entriesSetting(
    (text) => parseNetwork(text) !== undefined,
    'addresses or networks such as 10.0.0.0/8',
  ).optional(),
  RATE_LIMIT_POINTS: numberSetting(600, { least: 60, most: 1_000_000_000 }),
  HOLD_TTL_SECONDS: numberSetting(900, { least: 1, most: 86_400 }),
  DUPLICATE_WINDOW_SECONDS: numberSetting(600, { least: 1, most: 86_400 }),
  WEBHOOK_ALLOW_PRIVATE_NETS: flagSetting(false),
  SANDBOX_SEED: numberSetting(1, { least: 0, most: 2 ** 31 }),
  SANDBOX_STYLES: numberSetting(2_000, { least: 0, most: 100_000 }),
  SANDBOX_CATALOGUE: z.string().optional(),
  SANDBOX_ACTIVITY: numberSetting(60, { least: 0, most: 60_000 }),
  LOG_LEVEL: choiceSetting(logLevels, 'info'),
  LOG_REQUESTS: choiceSetting(requestLogModes, 'notable'),
  LOG_REQUESTS_DAYS: numberSetting(14, { least: 1, most: 400 }),
  AUDIT_DAYS: numberSetting(730, { least: 30, most: 36_500 }),
  RECIPIENT_RETENTION_DAYS: optionalNumberSetting({ least: 1, most: 36_500 }),
  OTEL_EXPORTER_OTLP_ENDPOINT: urlSetting('http:', 'https:').optional(),
  OTEL_TRACES_SAMPLER_ARG: withDefault('1', shareSetting()),
  WAREHOUSE_VIEWS: withDefault(defaultViews, viewsSetting(defaultViews)),
}

/**
 * The sandbox's credentials. The first start generates them into `settings.env`, so they are accepted but not
 * documented.
 */
const madeForSandbox = {
  SANDBOX_USERNAME: z.string().optional(),
  SANDBOX_PASSWORD: z.string().optional(),
  SANDBOX_USERNAME_2: z.string().optional(),
  SANDBOX_PASSWORD_2: z.string().optional(),
  SANDBOX_CLIENT_ID: z.string().optional(),
  SANDBOX_CLIENT_SECRET: z.string().optional(),
  SANDBOX_CLIENT_SECRET_2: z.string().optional(),
  SANDBOX_ERP_TOKEN: z.string().optional(),
}

/** The settings that a file may have, because they are or may contain secrets: `VALKEY_URL_FILE` names that file. */
const fileSettings = new Map(
  Object.entries(settings)
    .filter(([name, parser]) => mayHaveSecret(name, parser))
    .map(([name]) => [`${name}_FILE`, name]),
)

/** What the supervisor sets for each of its processes. */
const madeForProcess = { PROCESS_NUMBER: numberSetting(0, { least: 0, most: 64 }) }

const schema = z.strictObject({ ...settings, ...madeForSandbox, ...madeForProcess })
const names = Object.keys(schema.shape)
/** The names of all settings, with those that name a file. */
const allNames = [...names, ...fileSettings.keys()]

type Values = Readonly<Record<string, string | undefined>>

/** Parses the merged settings of all sources. `fromFiles` names those that a file set. Throws `ConfigError`. */
export function readConfig(values: Values, fromFiles: ReadonlySet<string> = new Set()): Config {
  // An empty value counts as not set.
  const given = Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && value !== ''),
  )
  const parsed = schema.safeParse(given)
  const problems = parsed.error?.issues.flatMap(toSentences) ?? []
  if (given.UPSTREAM_URL !== undefined && given.UPSTREAM_TOKEN === undefined)
    problems.push('UPSTREAM_TOKEN is missing: with UPSTREAM_URL set, the ERP’s connector wants a token.')
  // A forgotten URL would start the sandbox ERP on the database of the real one.
  if (given.UPSTREAM_TOKEN !== undefined && given.UPSTREAM_URL === undefined)
    problems.push(
      'UPSTREAM_URL is missing: set it to the address of the ERP’s connector, or remove UPSTREAM_TOKEN to run the sandbox.',
    )
  if (parsed.data) problems.push(...listProcessProblems(parsed.data))
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems)
  return { ...toConfig(parsed.data), settings: listSettingStates(given, fromFiles) }
}

/** Lists what several processes require. */
function listProcessProblems(set: z.output<typeof schema>): string[] {
  const { PROCESSES: count } = set
  if (count === 1) return []
  return [
    ...(set.DATABASE_URL === undefined
      ? [
          `PROCESSES is ${count}, and the embedded database serves one process: set DATABASE_URL to a PostgreSQL database, or PROCESSES to 1.`,
        ]
      : []),
    ...(set.UPSTREAM_URL === undefined
      ? [
          `PROCESSES is ${count}, and the built-in ERP serves one process: set UPSTREAM_URL and UPSTREAM_TOKEN, or PROCESSES to 1.`,
        ]
      : []),
  ]
}

function listSettingStates(given: Values, fromFiles: ReadonlySet<string>): SettingState[] {
  return Object.entries(settings).map(([name, parser]) => {
    const value = given[name]
    const secret = secretName.test(name)
    const source = value === undefined ? 'default' : fromFiles.has(name) ? 'file' : 'environment'
    const isUrl = isUrlParser(parser)
    const shown = value !== undefined && isUrl ? omitCredentials(value) : value
    const usual = facts.get(parser)?.usual ?? null
    return { name, value: secret ? null : (shown ?? usual), source, secret, set: value !== undefined }
  })
}

function mayHaveSecret(name: string, parser: z.ZodType): boolean {
  return secretName.test(name) || isUrlParser(parser)
}

function isUrlParser(parser: z.ZodType): boolean {
  return urlParsers.has(parser instanceof z.ZodOptional ? parser.unwrap() : parser)
}

/** Removes the parts of a URL that may have a password: user, query and fragment. */
function omitCredentials(text: string): string {
  const url = new URL(text)
  return `${url.protocol}//${url.host}${url.pathname}`
}

/** Lists the settings for the documentation. */
export function listSettings(): readonly Setting[] {
  return Object.entries(settings).map(([name, each]) => ({ name, usual: undefined, ...facts.get(each) }))
}

/**
 * Picks the variables of the environment that are meant for the gateway: its settings, and names so similar that they
 * are probably typing mistakes. All other variables belong to other programs and are ignored.
 */
export function pickOwnVariables(environment: Values): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) => names.includes(name) || fileSettings.has(name) || findNearestWord(name, allNames),
    ),
  )
}

/**
 * Replaces each setting that names a file, such as `VALKEY_URL_FILE`, by the setting with the file's content, without
 * the newline at its end. Further line breaks belong to the value, as a SECRETS_KEY with one has encrypted a database.
 * Throws `ConfigError` if a file is empty or cannot be read, or the setting itself is set too. An empty DATABASE_URL, for
 * example, would start a gateway on another database.
 */
export function readSettingFiles(values: Values, readFile: (path: string) => string): Values {
  const read: Record<string, string | undefined> = { ...values }
  const problems: string[] = []
  for (const [fileSetting, name] of fileSettings) {
    const path = values[fileSetting]
    delete read[fileSetting]
    if (path === undefined || path === '') continue
    if (values[name]) problems.push(`${fileSetting} and ${name} are both set; remove one of them.`)
    try {
      read[name] = readFile(path).replace(/\r?\n$/, '')
      if (read[name] === '')
        problems.push(`${fileSetting} names an empty file: "${path}". Write the value of ${name} into it.`)
    } catch (error) {
      const { code = 'unknown' }: { code?: unknown } = Object(error)
      problems.push(`${fileSetting} names a file that cannot be read (${code}): "${path}".`)
    }
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return read
}

function toConfig(set: z.output<typeof schema>): Omit<Config, 'settings'> {
  return {
    host: set.HOST,
    port: set.PORT,
    baseUrl: set.BASE_URL?.replace(/\/$/, ''),
    mcpAllowedOrigins: set.MCP_ALLOWED_ORIGINS ?? [],
    dataDir: set.DATA_DIR,
    processes: set.PROCESSES,
    processNumber: set.PROCESS_NUMBER || undefined,
    databaseUrl: set.DATABASE_URL,
    valkeyUrl: set.VALKEY_URL,
    adminToken: set.ADMIN_TOKEN,
    metrics: { token: set.METRICS_TOKEN, isPublic: set.METRICS_PUBLIC },
    writesEnabled: set.WRITES_ENABLED,
    upstream: set.UPSTREAM_URL ? { url: set.UPSTREAM_URL, token: set.UPSTREAM_TOKEN ?? '' } : undefined,
    syncIntervalMs: set.SYNC_INTERVAL_MS,
    secretsKeys: { present: set.SECRETS_KEY, previous: set.SECRETS_KEY_PREVIOUS },
    tokenTtlSeconds: set.TOKEN_TTL_SECONDS,
    legacyTokens: { secret: set.LEGACY_TOKEN_SECRET, until: set.LEGACY_TOKENS_UNTIL },
    trustedProxies: set.TRUST_PROXY ? new Networks(set.TRUST_PROXY) : undefined,
    rateLimitPoints: set.RATE_LIMIT_POINTS,
    holdTtlSeconds: set.HOLD_TTL_SECONDS,
    duplicateWindowSeconds: set.DUPLICATE_WINDOW_SECONDS,
    webhookPrivateNets: set.WEBHOOK_ALLOW_PRIVATE_NETS,
    sandbox: {
      seed: set.SANDBOX_SEED,
      styles: set.SANDBOX_STYLES,
      catalogue: set.SANDBOX_CATALOGUE,
      activity: set.SANDBOX_ACTIVITY,
    },
    traces: set.OTEL_EXPORTER_OTLP_ENDPOINT
      ? {
          url: `${set.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/$/, '')}/v1/traces`,
          share: set.OTEL_TRACES_SAMPLER_ARG,
        }
      : undefined,
    logLevel: set.LOG_LEVEL,
    logRequests: set.LOG_REQUESTS,
    requestLogDays: set.LOG_REQUESTS_DAYS,
    auditDays: set.AUDIT_DAYS,
    recipientRetentionDays: set.RECIPIENT_RETENTION_DAYS,
    views: set.WAREHOUSE_VIEWS,
  }
}

function toSentences(issue: z.core.$ZodIssue): string[] {
  if (issue.code !== 'unrecognized_keys') return [`${issue.path.join('.')} ${issue.message}`]
  return issue.keys.map((name) => {
    const meant = findNearestWord(name, allNames)
    return meant === undefined
      ? `${name} is not a setting; remove it from .env or settings.env.`
      : `${name} is not a setting; did you mean ${meant}?`
  })
}

/** Creates a parser of text. If `read` returns undefined, the value is refused with `problem`. */
function readAs<T>(read: (text: string) => T | undefined, problem: (text: string) => string) {
  return z.string().transform((text, context): T => {
    const value = read(text)
    if (value !== undefined) return value
    context.addIssue({ code: 'custom', message: problem(text) })
    return z.NEVER
  })
}

/** Adds a default, written as a user would set it, and registers the facts for the documentation. */
function withDefault<T>(usual: string, each: z.ZodType<T, string>, more: Partial<Setting> = {}) {
  return each.prefault(usual).register(facts, { usual, ...more })
}

function numberSetting(usual: number, bounds: Bounds) {
  return withDefault(String(usual), readNumber(bounds), bounds)
}

/** Creates the parser of a number that may be left out. */
function optionalNumberSetting(bounds: Bounds) {
  return readNumber(bounds)
    .optional()
    .register(facts, { usual: undefined, ...bounds })
}

interface Bounds {
  readonly least: number
  readonly most: number
}

function readNumber({ least, most }: Bounds) {
  return readAs(
    (text) => {
      const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
      return value >= least && value <= most ? value : undefined
    },
    (text) => `must be a whole number from ${least} to ${most}, not "${text}".`,
  )
}

/** Creates the parser of a share from 0 to 1. */
function shareSetting() {
  return readAs(
    (text) => {
      const value = /^\d(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN
      return value <= 1 ? value : undefined
    },
    (text) => `must be a number from 0 to 1, not "${text}".`,
  )
}

function flagSetting(usual: boolean) {
  const words = new Map([
    ['1', true],
    ['true', true],
    ['0', false],
    ['false', false],
  ])
  const read = readAs(
    (text) => words.get(text),
    (text) => `must be 1 or 0, not "${text}".`,
  )
  return withDefault(usual ? '1' : '0', read, { words: ['0', '1'] })
}

function choiceSetting<T extends string>(words: readonly T[], usual: T) {
  const read = readAs(
    (text) => words.find((word) => word === text),
    (text) => `must be one of ${words.join(', ')}, not "${text}".`,
  )
  return withDefault(usual, read, { words })
}

/**
 * Creates the parser of an address or host name. Four numbers that are not a valid address are not a host name either
 * (WHATWG URL, RFC 1123).
 */
function hostSetting() {
  const name =
    /^(?=.{1,253}$)(?!(?:.*\.)?\d+$)[a-z\d]([a-z\d-]{0,61}[a-z\d])?(\.[a-z\d]([a-z\d-]{0,61}[a-z\d])?)*$/i
  return readAs(
    (text) => (isAddress(text) || name.test(text) ? text : undefined),
    (text) => `must be an IP address such as 127.0.0.1 or a host name such as localhost, not "${text}".`,
  )
}

/** Creates the parser of a URL. The value may contain a password, so the message does not repeat it. */
function urlSetting(...protocols: string[]) {
  const url = readAs(
    (text) => (URL.canParse(text) && protocols.includes(new URL(text).protocol) ? text : undefined),
    () => `must be a URL that begins with ${protocols.map((each) => `${each}//`).join(' or ')}.`,
  )
  urlParsers.add(url)
  return url
}

/** Creates the parser of the URL of a Valkey or Redis server. The message does not repeat it. */
function valkeyUrlSetting() {
  const url = readAs(
    (text) => (isValkeyUrl(text) ? text : undefined),
    () =>
      'must be a URL such as redis://127.0.0.1:6379 or, with TLS, rediss://user:password@host:6379; after the host, it may name a database such as /0.',
  )
  urlParsers.add(url)
  return url
}

function isValkeyUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, pathname, username, password } = new URL(text)
  const isDecodable = [username, password].every((each) => !/%(?![\da-f]{2})/i.test(each))
  return /^rediss?:$/.test(protocol) && hostname !== '' && /^(?:\/\d{0,4})?$/.test(pathname) && isDecodable
}

function secretSetting() {
  return z
    .string({ error: `is missing: set at least ${minSecretCharacters} random characters.` })
    .refine((text) => text.length >= minSecretCharacters, {
      error: ({ input }) =>
        `is too short: ${String(input).length} of at least ${minSecretCharacters} characters; set random ones, for example from: openssl rand -hex 32`,
    })
}

/**
 * Creates the parser of a token that is sent in a header. HTTP drops the white space at the end of a header, and a file
 * may end with blank lines, so they are no part of the token.
 */
function headerSetting<T extends z.ZodType<string, string>>(token: T, carried: RegExp) {
  return z
    .string()
    .transform((text) => text.replace(/[\t\r\n ]+$/, ''))
    .pipe(token)
    .refine((text) => carried.test(text), {
      error:
        'has a space, a line break or another character that its header cannot carry; use visible ASCII characters only.',
    })
}

function instantSetting(example: string) {
  return readAs(
    (text) => {
      const [day = ''] = /^\d{4}-\d\d-\d\d(?=T\d\d:\d\d:\d\d(\.\d+)?Z$)/.exec(text) ?? []
      // `Date.parse` takes November 31st for December 1st.
      const value = z.iso.date().safeParse(day).success ? Date.parse(text) : Number.NaN
      return Number.isNaN(value) ? undefined : value
    },
    (text) => `must be a time such as ${example}, not "${text}".`,
  )
}

/** Creates the parser of comma-separated entries. Empty entries are ignored. */
function entriesSetting(isValid: (entry: string) => boolean, wanted: string) {
  return z.string().transform((text, context) => {
    const entries = text
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '')
    for (const entry of entries.filter((entry) => !isValid(entry)))
      context.addIssue({
        code: 'custom',
        message: `must be a list of ${wanted}, and "${entry}" is not valid.`,
      })
    return entries
  })
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text
}

/** Creates the parser of views such as `AU=AUSYD1+AUSYD2,CN=CHNZJ1`. */
function viewsSetting(example: string) {
  const view = /^([A-Za-z0-9_-]+)=([A-Za-z0-9_-]+(?:\+[A-Za-z0-9_-]+)*)$/
  return z.string().transform((text, context): Record<string, readonly string[]> => {
    const entries = text.split(',').map((entry) => view.exec(entry.trim()))
    const views = entries.flatMap((entry) =>
      entry ? [[entry[1] ?? '', (entry[2] ?? '').split('+')] as const] : [],
    )
    const problem = entries.includes(null)
      ? `must be a list such as ${example}, not "${text}".`
      : findViewProblem(views)
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
    return Object.fromEntries(views)
  })
}

/** Finds why views cannot be summed: their members are warehouses of the ERP, and each counts once. */
function findViewProblem(views: readonly (readonly [string, readonly string[]])[]): string | undefined {
  const codes = views.map(([code]) => code)
  for (const [at, [code, members]] of views.entries()) {
    if (codes.indexOf(code) < at) return `has the view ${code} twice.`
    const twice = members.find((member, index) => members.indexOf(member) < index)
    if (twice !== undefined) return `has ${twice} twice in the view ${code}.`
    const inner = members.find((member) => codes.includes(member))
    if (inner !== undefined)
      return `has ${inner} in the view ${code}, which is a view itself. Name the warehouses of ${inner} instead.`
  }
  return undefined
}
