/** The settings of a connector: where Medusa is from the environment, and what it serves from a file. */
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
  /** `code` is the code of the type of the shipping options. */
  carriers: z.array(carrier).min(1).max(100),
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
  return {
    url: requireUrl(env, 'MEDUSA_URL', 'the address of Medusa, such as http://127.0.0.1:9000'),
    secretKey: requireSetting(env, 'MEDUSA_SECRET_KEY', 'a secret API key of Medusa (sk_…)'),
    publishableKey: requireSetting(env, 'MEDUSA_PUBLISHABLE_KEY', 'a publishable API key of Medusa (pk_…)'),
    ...(await readConfigFile(requireSetting(env, 'MEDUSA_CONFIG', 'the path of the configuration file'))),
  }
}

async function readConfigFile(path: string): Promise<ConfigFile> {
  return parseConfigFile(await readSettingsFile(path), path)
}

/** Checks the content of a configuration file. `path` is for messages. */
export function parseConfigFile(text: string, path: string): ConfigFile {
  const file = parseSettings(configFile, text, path)
  const { warehouses, carriers } = file
  const codes = (list: readonly { readonly code: string }[]) => list.map((one) => one.code)
  requireDistinct(`${path}: warehouses have the code`, codes(warehouses))
  requireDistinct(
    `${path}: warehouses have the location`,
    warehouses.map((one) => one.location),
  )
  requireDistinct(
    `${path}: warehouses have the sales channel`,
    warehouses.map((one) => one.sales_channel),
  )
  requireDistinct(`${path}: carriers have the code`, codes(carriers))
  return file
}
