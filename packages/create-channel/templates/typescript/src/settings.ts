/** What the environment sets. */
export interface Settings {
  readonly baseUrl: string
  readonly username: string
  readonly password: string
  /** The secret of the webhook endpoint. */
  readonly webhookSecret: string
  readonly warehouses: readonly string[]
  /** The file of the stock; `:memory:` keeps it in memory. */
  readonly stockFile: string
  readonly port: number
}

/** Reads the settings. Throws an error that names everything that is missing. */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const { TGW_BASE_URL, TGW_USERNAME, TGW_PASSWORD, WEBHOOK_SECRET } = env
  const needed = { TGW_BASE_URL, TGW_USERNAME, TGW_PASSWORD, WEBHOOK_SECRET }
  const missing = Object.entries(needed).filter(([, value]) => !value)
  if (missing.length > 0) throw new Error(`Set ${missing.map(([name]) => name).join(', ')} in channel.env.`)
  return {
    baseUrl: TGW_BASE_URL ?? '',
    username: TGW_USERNAME ?? '',
    password: TGW_PASSWORD ?? '',
    webhookSecret: WEBHOOK_SECRET ?? '',
    warehouses: (env.WAREHOUSES ?? 'AUSYD1').split(','),
    stockFile: env.STOCK_FILE ?? 'stock.db',
    port: Number(env.PORT ?? 3000),
  }
}
