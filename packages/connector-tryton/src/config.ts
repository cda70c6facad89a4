/** The settings of a connector: who it is for Tryton from the environment, and what it serves from a file. */
import { readFile } from 'node:fs/promises'
import { z } from 'zod'

/** A setting that is missing or not valid. The message names it and says what to do. */
export class ConfigError extends Error {}

const code = z.string().min(1).max(64)
const days = z.tuple([z.int().min(0).max(365), z.int().min(0).max(365)])
const timezone = z.string().refine(isTimezone, 'must be a time zone such as Australia/Sydney')

const configFile = z.strictObject({
  /** The name that `describe` returns. */
  name: z.string().min(1).max(200).default('Tryton'),
  /** Whether orders may be placed to try things out. */
  sandbox: z.boolean().default(false),
  /** The name of the web shop in which customers sign in and whose products they may order. */
  shop: z.string().min(1),
  /** The shops of customers who use another one, by customer code. */
  shops: z.record(code, z.string().min(1)).default({}),
  /** The price list of the wholesale price in stock figures; without it, the list price. */
  price_list: z.string().min(1).nullable().default(null),
  warehouses: z
    .array(z.strictObject({ code, timezone, hold_location: code }))
    .min(1)
    .max(100),
  carriers: z
    .array(
      z.strictObject({
        /** The code of the carrier's product. */
        code,
        kind: z.enum(['delivery', 'pickup']),
        /** The service of drop-ship orders that this carrier performs. */
        service: z.enum(['normal', 'express']).optional(),
        /** The fewest and the most days on the way. */
        days,
      }),
    )
    .min(1)
    .max(100),
  /** The days from an order to its dispatch. */
  dispatch_days: days.default([0, 1]),
  /** How long the gateway may use a customer's session. Tryton ends it after `[session] web_timeout`, 30 days. */
  session_hours: z.number().min(0.1).max(720).default(24),
})

export type ConfigFile = z.output<typeof configFile>

export interface Config extends ConfigFile {
  readonly url: string
  readonly database: string
  readonly user: string
  readonly password: string
}

/** Reads and checks the settings. Throws `ConfigError` for the first that is wrong. */
export async function readConfig(env: NodeJS.ProcessEnv): Promise<Config> {
  const url = requireSetting(env, 'TRYTON_URL', 'the address of trytond, such as http://127.0.0.1:8000')
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new ConfigError(`TRYTON_URL must be an http or https URL, not "${url}".`)
  return {
    url,
    database: requireSetting(env, 'TRYTON_DATABASE', 'the name of Tryton’s database'),
    user: requireSetting(env, 'TRYTON_USER', 'the login of the user that the connector works as'),
    password: requireSetting(env, 'TRYTON_PASSWORD', 'the password of that user'),
    ...(await readConfigFile(requireSetting(env, 'TRYTON_CONFIG', 'the path of the configuration file'))),
  }
}

/** Checks the content of a configuration file. `path` is for messages. */
export function parseConfigFile(text: string, path: string): ConfigFile {
  const parsed = configFile.safeParse(parseJson(text, path))
  if (parsed.success) {
    requireDistinct(path, 'warehouses', parsed.data.warehouses)
    requireDistinct(path, 'carriers', parsed.data.carriers)
    return parsed.data
  }
  const issue = parsed.error.issues[0]
  const place = issue?.path.join('.') || 'the file'
  throw new ConfigError(`${path}: ${place} is not valid: ${issue?.message ?? 'unknown reason'}.`)
}

async function readConfigFile(path: string): Promise<ConfigFile> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new ConfigError(`${path} cannot be read: ${error instanceof Error ? error.message : error}.`)
  })
  return parseConfigFile(text, path)
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ConfigError(`${path} is not JSON: ${error instanceof Error ? error.message : error}.`)
  }
}

function requireDistinct(path: string, name: string, list: readonly { readonly code: string }[]): void {
  const twice = list.find((one, index) => list.findIndex((other) => other.code === one.code) !== index)
  if (twice) throw new ConfigError(`${path}: ${name} has ${twice.code} twice.`)
}

function requireSetting(env: NodeJS.ProcessEnv, name: string, meaning: string): string {
  const value = env[name]
  if (value) return value
  throw new ConfigError(`Set ${name} to ${meaning}.`)
}

function isTimezone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}
