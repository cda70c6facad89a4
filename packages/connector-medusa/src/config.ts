/** The settings of a connector: where Medusa is from the environment, and what it serves from a file. */
import { readFile } from 'node:fs/promises'
import { z } from 'zod'

/** A setting that is missing or not valid. The message names it and says what to do. */
export class ConfigError extends Error {}

const code = z.string().min(1).max(64)
const days = z.tuple([z.int().min(0).max(365), z.int().min(0).max(365)])
const timezone = z.string().refine(isTimezone, 'must be a time zone such as Australia/Sydney')

const configFile = z.strictObject({
  /** The name that `describe` returns. */
  name: z.string().min(1).max(200).default('Medusa'),
  /** Whether orders may be placed to try things out. */
  sandbox: z.boolean().default(false),
  /** The name of the region in which orders are placed. Its currency is the currency of all amounts. */
  region: z.string().min(1),
  /** The title of the price list of the wholesale price in stock figures; without it, the price of the variant. */
  price_list: z.string().min(1).nullable().default(null),
  warehouses: z
    .array(
      z.strictObject({
        code,
        /** The name of the stock location. */
        location: z.string().min(1),
        /** The name of the sales channel that is linked to this stock location and to no other. */
        sales_channel: z.string().min(1),
        timezone,
      }),
    )
    .min(1)
    .max(100),
  carriers: z
    .array(
      z.strictObject({
        /** The code of the type of the shipping options. */
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
})

export type ConfigFile = z.output<typeof configFile>

export interface Config extends ConfigFile {
  readonly url: string
  readonly secretKey: string
  readonly publishableKey: string
}

/** Reads and checks the settings. Throws `ConfigError` for the first that is wrong. */
export async function readConfig(env: NodeJS.ProcessEnv): Promise<Config> {
  const url = requireSetting(env, 'MEDUSA_URL', 'the address of Medusa, such as http://127.0.0.1:9000')
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new ConfigError(`MEDUSA_URL must be an http or https URL, not "${url}".`)
  return {
    url,
    secretKey: requireSetting(env, 'MEDUSA_SECRET_KEY', 'a secret API key of Medusa (sk_…)'),
    publishableKey: requireSetting(env, 'MEDUSA_PUBLISHABLE_KEY', 'a publishable API key of Medusa (pk_…)'),
    ...(await readConfigFile(requireSetting(env, 'MEDUSA_CONFIG', 'the path of the configuration file'))),
  }
}

/** Checks the content of a configuration file. `path` is for messages. */
export function parseConfigFile(text: string, path: string): ConfigFile {
  const parsed = configFile.safeParse(parseJson(text, path))
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    const place = issue?.path.join('.') || 'the file'
    throw new ConfigError(`${path}: ${place} is not valid: ${issue?.message ?? 'unknown reason'}.`)
  }
  const { warehouses, carriers } = parsed.data
  requireDistinct(
    `${path}: warehouses have the code`,
    warehouses.map((one) => one.code),
  )
  requireDistinct(
    `${path}: warehouses have the location`,
    warehouses.map((one) => one.location),
  )
  requireDistinct(
    `${path}: warehouses have the sales channel`,
    warehouses.map((one) => one.sales_channel),
  )
  requireDistinct(
    `${path}: carriers have the code`,
    carriers.map((one) => one.code),
  )
  return parsed.data
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

function requireDistinct(what: string, list: readonly string[]): void {
  const twice = list.find((one, index) => list.indexOf(one) !== index)
  if (twice !== undefined) throw new ConfigError(`${what} ${twice} twice.`)
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
