import { randomBytes } from 'node:crypto'
import { StartedProcess } from '../child-process.ts'
import { SupervisedProcess } from '../supervised-process.ts'

const startTimeoutMs = 120_000

/** A connector in a separate process, with the token that it expects. */
export interface ConnectorProcess {
  readonly process: SupervisedProcess
  readonly url: string
  readonly token: string
}

interface ConnectorStart {
  /** The command of the connector. */
  readonly file: string
  readonly port: number
  /** Where its system is, and its configuration. */
  readonly env: Readonly<Record<string, string>>
  /** What it prints when it serves. */
  readonly readyText: string
}

/** Starts a connector in front of its system. Throws `ProcessFailed`. */
export async function startConnector({
  file,
  port,
  env,
  readyText,
}: ConnectorStart): Promise<ConnectorProcess> {
  const token = randomBytes(24).toString('base64url')
  const name = 'The connector'
  const supervised = new SupervisedProcess(name, () => {
    const args = [file, '--port', String(port)]
    const child = new StartedProcess({ name, args, env: { ...env, UPSTREAM_TOKEN: token } })
    return { child, ready: child.waitForText(readyText, 'stdout', { timeoutMs: startTimeoutMs }) }
  })
  await supervised.start()
  return { process: supervised, url: `http://127.0.0.1:${port}`, token }
}
