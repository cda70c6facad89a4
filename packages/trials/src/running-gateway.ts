import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'
import { z } from 'zod'
import { StartedProcess } from './child-process.ts'

const mainFile = fileURLToPath(import.meta.resolve('@trade-gateway/gateway/main'))
const readyText = 'Trade Gateway is ready at'
const startTimeoutMs = 120_000
/** The gateway's log line for a catalogue line that its ERP left out. */
const leftOutLine = /^left out of the catalogue: line \d+ \((.*?)\): (.*)$/gm

const sandboxFile = z.object({
  base_url: z.string(),
  username: z.string(),
  password: z.string(),
  client_id: z.string(),
  client_secret: z.string(),
  admin_token: z.string(),
  erp_url: z.string(),
})
const settingsFile = z.object({ SANDBOX_ERP_TOKEN: z.string() })

/** A gateway and its sandbox ERP in separate processes. */
export interface RunningGateway extends z.infer<typeof sandboxFile> {
  readonly erp_token: string
  /** The catalogue lines that the ERP left out, with the reasons. */
  readonly left_out: readonly { readonly sku: string; readonly reason: string }[]
  /** A signal that is aborted if the gateway exits on its own. */
  readonly ended: AbortSignal
  stop(): Promise<void>
}

/**
 * Starts the gateway like `npm start` on a catalogue (undefined means the built-in one), on a free port, with its data
 * in `directory/data`. The process does not inherit the environment, so that no settings of another installation apply.
 * Its stock does not change on its own. Throws `ProcessFailed`.
 */
export async function startGateway(
  directory: string,
  catalogue: string | undefined,
  signal: AbortSignal,
): Promise<RunningGateway> {
  const data = join(directory, 'data')
  await mkdir(data, { mode: 0o700, recursive: true })
  const options = catalogue === undefined ? [] : ['--catalogue', catalogue]
  const child = new StartedProcess({
    name: 'The gateway',
    args: [mainFile, ...options],
    // In its own directory the gateway does not read the .env file of the caller's directory.
    cwd: directory,
    env: { DATA_DIR: data, PORT: '0', SANDBOX_ACTIVITY: '0', SYNC_INTERVAL_MS: '100', LOG_LEVEL: 'warn' },
  })
  const stop = () => child.stop()
  try {
    await child.waitForText(readyText, 'stderr', { timeoutMs: startTimeoutMs, signal })
    const access = sandboxFile.parse(JSON.parse(await readFile(join(data, 'sandbox.json'), 'utf8')))
    const settings = settingsFile.parse(parseEnv(await readFile(join(data, 'settings.env'), 'utf8')))
    const erp_token = settings.SANDBOX_ERP_TOKEN
    const left_out = parseLeftOut(child.readFirstOutput('stderr'))
    return { ...access, erp_token, left_out, ended: child.ended, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function parseLeftOut(text: string) {
  return [...text.matchAll(leftOutLine)].map(([, sku = '', reason = '']) => ({ sku, reason }))
}
