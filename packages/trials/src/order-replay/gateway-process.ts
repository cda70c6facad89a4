import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StartedProcess } from '../child-process.ts'
import { SupervisedProcess } from '../supervised-process.ts'

const mainFile = fileURLToPath(import.meta.resolve('@trade-gateway/gateway/main'))
const readyText = 'Trade Gateway is ready at'
/** Long enough for a start on a machine that is busy with other work, while the trial hits the database too. */
const startTimeoutMs = 300_000
/** The lifetime of a token in seconds: so short that every run of a few minutes renews its token. */
const tokenSeconds = 120

/** A gateway in a separate process. */
export interface GatewayProcess {
  readonly process: SupervisedProcess
  readonly base_url: string
  readonly admin_token: string
}

interface GatewayStart {
  readonly directory: string
  readonly port: number
  readonly upstream: { readonly url: string; readonly token: string }
  readonly databaseUrl: string | undefined
  /** Further settings, which replace those of a replay. */
  readonly settings?: Readonly<Record<string, string>>
}

/**
 * Starts the gateway in front of an ERP, with its data in `directory/gateway` or in the database at `databaseUrl`. The
 * process does not inherit the environment, so that no settings of another installation apply. Throws `ProcessFailed`.
 */
export async function startGateway({
  directory,
  port,
  upstream,
  databaseUrl,
  settings = {},
}: GatewayStart): Promise<GatewayProcess> {
  const data = join(directory, 'gateway')
  await mkdir(data, { mode: 0o700 })
  const admin_token = settings.ADMIN_TOKEN ?? randomBytes(24).toString('base64url')
  const env = {
    DATA_DIR: data,
    PORT: String(port),
    UPSTREAM_URL: upstream.url,
    UPSTREAM_TOKEN: upstream.token,
    ADMIN_TOKEN: admin_token,
    TOKEN_TTL_SECONDS: String(tokenSeconds),
    LOG_LEVEL: 'warn',
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    ...settings,
  }
  const supervised = new SupervisedProcess('The gateway', () => {
    // In its own directory the gateway does not read the .env file of the caller's directory.
    const child = new StartedProcess({ name: 'The gateway', args: [mainFile], cwd: directory, env })
    return { child, ready: child.waitForText(readyText, 'stderr', { timeoutMs: startTimeoutMs }) }
  })
  await supervised.start()
  return { process: supervised, base_url: `http://127.0.0.1:${port}`, admin_token }
}
