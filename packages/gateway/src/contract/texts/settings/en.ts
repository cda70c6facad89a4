/** The meaning of each server setting, by its name. */
export const settingsEn = {
  UPSTREAM_URL: 'URL of the ERP’s connector; without it the built-in ERP runs',
  UPSTREAM_TOKEN: 'Token that the gateway sends to the connector; ASCII characters',
  HOST: 'Address on which the gateway listens',
  PORT: 'Port on which the gateway listens',
  BASE_URL: 'Public URL of the gateway; without it the address on which the gateway listens',
  DATA_DIR: 'Folder of the embedded database and of generated settings',
  DATABASE_URL: 'PostgreSQL instead of the embedded database; required for more than one process',
  PROCESSES:
    'Processes that serve the port, from 1 to 64; more than one requires PostgreSQL and an ERP of your own',
  VALKEY_URL: 'Valkey or Redis, in which processes share counts; may be given as `VALKEY_URL_FILE`',
  ADMIN_TOKEN:
    'Opens `/admin/api`; at least 32 ASCII characters; without it the console is disabled; generated for the sandbox',
  METRICS_TOKEN:
    'Bearer token that may read `/metrics`; at least 32 ASCII characters; the admin token may always read it',
  METRICS_PUBLIC: '`1` lets everybody read `/metrics`',
  WRITES_ENABLED: '`0` refuses writes to the ERP; reads work',
  SYNC_INTERVAL_MS: 'Interval at which the gateway polls the ERP for changes, in milliseconds',
  SECRETS_KEY:
    'Key that encrypts secrets in the database; at least 32 characters, the same for all processes of one database; generated at the first start',
  SECRETS_KEY_PREVIOUS:
    'Another key that opens secrets in the database, while `SECRETS_KEY` is rotated; at least 32 characters',
  TOKEN_TTL_SECONDS: 'Lifetime of a token in seconds',
  LEGACY_TOKEN_SECRET: 'Secret of the legacy gateway’s tokens; at least 32 characters',
  LEGACY_TOKENS_UNTIL: 'Time until which legacy tokens are accepted',
  TRUST_PROXY: 'Networks whose `X-Forwarded-For` is trusted',
  RATE_LIMIT_POINTS: 'Points that a channel may spend in 60 seconds',
  HOLD_TTL_SECONDS: 'How long a preview holds stock, in seconds',
  DUPLICATE_WINDOW_SECONDS:
    'Time during which a second drop-ship order of the same recipient counts as a possible duplicate, in seconds',
  SANDBOX_SEED: 'Seed of the built-in ERP’s goods',
  SANDBOX_STYLES:
    'Number of styles in the built-in ERP’s catalogue, each with about ten SKUs; another number requires another `DATA_DIR`',
  SANDBOX_CATALOGUE: 'CSV file with goods of your own for the built-in ERP',
  SANDBOX_ACTIVITY: 'Simulated stock changes of the built-in ERP per minute; 0 turns them off',
  LOG_LEVEL: 'Log level: `debug`, `info`, `warn`, `error` or `silent`',
  LOG_REQUESTS:
    'Which requests leave a row in the request log: `notable` (writes, failures and reads slower than 250 ms) or `all`; other requests are counted. With `none`, requests are neither logged nor counted',
  LOG_REQUESTS_DAYS: 'Days that the request log is kept',
  AUDIT_DAYS: 'Days that the audit log is kept',
  RECIPIENT_RETENTION_DAYS:
    'Days after which the recipient of a drop-ship order that is over is erased; without it, recipients are kept',
  OTEL_EXPORTER_OTLP_ENDPOINT:
    'Base URL of a collector of OpenTelemetry; traces are sent to it over OTLP/HTTP',
  OTEL_TRACES_SAMPLER_ARG:
    'Share of the traces that begin at the gateway and are recorded, from 0 to 1; a caller’s trace is recorded if the caller records it',
  WAREHOUSE_VIEWS: 'Company views and the warehouses in them',
  WEBHOOK_ALLOW_PRIVATE_NETS:
    'Lets webhooks go to private addresses, over http and to any port; for development only',
  MCP_ALLOWED_ORIGINS:
    'Origins whose pages may call `POST /mcp` in a browser and read the responses, separated by commas',
} as const

export type SettingName = keyof typeof settingsEn

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settingsEn, name)
}
