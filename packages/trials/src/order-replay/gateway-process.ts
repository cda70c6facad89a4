import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ProcessFailed, Supervised } from './supervised.ts'

const mainFile = fileURLToPath(import.meta.resolve('@trade-gateway/gateway/main'))
const readyText = 'Trade Gateway is ready at'
const startTimeoutMs = 120_000
/** Short enough that every run of some minutes renews its token. */
const tokenSeconds = 120

/** A gateway as a process of its own. */
export interface GatewayProcess {
  readonly process: Supervised
  readonly base_url: string
  readonly admin_token: string
}

interface Upstream {
  readonly url: string
  readonly token: string
}

/**
 * Starts the gateway in front of an ERP, with its data in `directory/gateway`, or in the database at `databaseUrl`,
 * and nothing from the environment, so that no setting of another installation gets in. Throws `ProcessFailed`.
 */
export async function startGateway(
  directory: string,
  port: number,
  upstream: Upstream,
  databaseUrl: string | undefined,
): Promise<GatewayProcess> {
  const data = join(directory, 'gateway')
  await mkdir(data, { mode: 0o700 })
  const admin_token = randomBytes(24).toString('base64url')
  const env = {
    DATA_DIR: data,
    PORT: String(port),
    UPSTREAM_URL: upstream.url,
    UPSTREAM_TOKEN: upstream.token,
    ADMIN_TOKEN: admin_token,
    TOKEN_TTL_SECONDS: String(tokenSeconds),
    LOG_LEVEL: 'warn',
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
  }
  const process_ = new Supervised('The gateway', () => {
    // A .env file of wherever the replay was started is not the trial's.
    const child = spawn(process.execPath, [mainFile], {
      cwd: directory,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    return { child, ready: readyOf(child) }
  })
  await process_.start()
  return { process: process_, base_url: `http://127.0.0.1:${port}`, admin_token }
}

function readyOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = ''
    const timer = setTimeout(
      () => reject(new ProcessFailed(`The gateway was not ready after ${startTimeoutMs / 1000} seconds.`)),
      startTimeoutMs,
    )
    const end = () => {
      clearTimeout(timer)
      child.stdout?.off('data', look)
    }
    const look = (text: string | Buffer) => {
      const all = said + String(text)
      said = all.slice(-readyText.length)
      if (!all.includes(readyText)) return
      end()
      resolve()
    }
    child.stdout?.on('data', look)
    child.once('exit', end)
  })
}
