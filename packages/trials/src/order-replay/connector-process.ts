import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { StartedProcess } from '../child-process.ts'
import { SupervisedProcess } from '../supervised-process.ts'

const startTimeoutMs = 120_000
/** What a connector that reports its steps sends after each. It goes on when it gets the same id back. */
const stepMessage = z.object({ id: z.int(), step: z.string() })

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
  /** Called after each step of a write, if the command reports them. The write goes on when it resolves. */
  readonly onStep?: (step: string) => Promise<void>
}

/** Starts a connector in front of its system. Throws `ProcessFailed`. */
export async function startConnector({
  file,
  port,
  env,
  readyText,
  onStep,
}: ConnectorStart): Promise<ConnectorProcess> {
  const token = randomBytes(24).toString('base64url')
  const name = 'The connector'
  const supervised = new SupervisedProcess(name, () => {
    const args = [file, '--port', String(port)]
    const opened = { name, args, env: { ...env, UPSTREAM_TOKEN: token } }
    // A message opens the channel.
    const child = new StartedProcess(onStep ? { ...opened, message: {} } : opened)
    if (onStep) answerSteps(child, onStep)
    return { child, ready: child.waitForText(readyText, 'stdout', { timeoutMs: startTimeoutMs }) }
  })
  await supervised.start()
  return { process: supervised, url: `http://127.0.0.1:${port}`, token }
}

function answerSteps(child: StartedProcess, onStep: (step: string) => Promise<void>) {
  child.onMessage((message) => {
    const { id, step } = stepMessage.parse(message)
    void onStep(step).then(() => child.send({ id }))
  })
}
