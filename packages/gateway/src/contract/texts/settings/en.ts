/** What each setting of the server does, by its name. */
export const settingsEn = {
  UPSTREAM_URL: 'The ERP’s connector; without it the built-in ERP',
  UPSTREAM_TOKEN: 'What the gateway shows to the connector',
  HOST: 'Where it listens',
  PORT: 'Port on which it listens',
  BASE_URL: 'How the outside reaches it; without it the address on which it listens',
  DATA_DIR: 'Folder of the embedded database and of settings that were made up',
  DATABASE_URL: 'PostgreSQL instead of the embedded database; needed for more than one process',
  ADMIN_TOKEN: 'Opens /admin/api; without it the console is disabled; made up for the sandbox',
  WRITES_ENABLED: '0 refuses writes to the ERP; reads work',
  SYNC_INTERVAL_MS: 'How often the ERP is asked for changes, in milliseconds',
  SECRETS_KEY:
    'Seals secrets in the database; at least 32 characters, the same for all processes of one database; made at the first start',
  TOKEN_TTL_SECONDS: 'Lifetime of a token in seconds',
  LEGACY_TOKEN_SECRET: 'Secret of the legacy gateway’s tokens',
  LEGACY_TOKENS_UNTIL: 'Until when legacy tokens are accepted',
  TRUST_PROXY: 'Networks whose X-Forwarded-For is believed',
  RATE_LIMIT_POINTS: 'Points that a channel may spend in 60 seconds',
  HOLD_TTL_SECONDS: 'How long a preview holds stock, in seconds',
  DUPLICATE_WINDOW_SECONDS:
    'How long the same drop-ship order of the same recipient is suspected to be sent twice, in seconds',
  SANDBOX_SEED: 'Seed of the built-in ERP’s goods',
  SANDBOX_CATALOGUE: 'CSV file with goods of your own for the built-in ERP',
  SANDBOX_ACTIVITY: 'Stock changes a minute that the built-in ERP makes up; 0 keeps it still',
  LOG_LEVEL: 'How much is logged',
  WAREHOUSE_VIEWS: 'Company views and the warehouses in them',
  WEBHOOK_ALLOW_PRIVATE_NETS:
    'Lets webhooks go to private addresses, over http and to any port; for development only',
  MCP_ALLOWED_ORIGINS: 'Origins from which a browser may call POST /mcp, separated by commas',
} as const

export type SettingName = keyof typeof settingsEn

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settingsEn, name)
}
