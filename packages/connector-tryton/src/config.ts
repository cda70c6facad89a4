/** The settings of a connector: who it is for Tryton from the environment, and what it serves from a file. */
import {
  carrier,
  code,
  days,
  parseSettings,
  readSettingsFile,
  requireDistinct,
  requireSetting,
  requireUrl,
  timezone,
} from '@trade-gateway/connector-kit/settings'
import { z } from 'zod'

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
  /** `code` is the code of the carrier's product. */
  carriers: z.array(carrier).min(1).max(100),
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
  return {
    url: requireUrl(env, 'TRYTON_URL', 'the address of trytond, such as http://127.0.0.1:8000'),
    database: requireSetting(env, 'TRYTON_DATABASE', 'the name of Tryton’s database'),
    user: requireSetting(env, 'TRYTON_USER', 'the login of the user that the connector works as'),
    password: requireSetting(env, 'TRYTON_PASSWORD', 'the password of that user'),
    ...(await readConfigFile(requireSetting(env, 'TRYTON_CONFIG', 'the path of the configuration file'))),
  }
}

async function readConfigFile(path: string): Promise<ConfigFile> {
  return parseConfigFile(await readSettingsFile(path), path)
}

/** Checks the content of a configuration file. `path` is for messages. */
export function parseConfigFile(text: string, path: string): ConfigFile {
  const file = parseSettings(configFile, text, path)
  const codes = (list: readonly { readonly code: string }[]) => list.map((one) => one.code)
  requireDistinct(`${path}: warehouses have the code`, codes(file.warehouses))
  requireDistinct(`${path}: carriers have the code`, codes(file.carriers))
  return file
}
