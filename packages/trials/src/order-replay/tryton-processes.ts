/** The processes of a Tryton in a replay: PostgreSQL and trytond of a sandbox, and the connector before them. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startSandbox } from '../../../connector-tryton/src/tryton/sandbox.ts'
import {
  committedDump,
  connectorUser,
  databaseName,
  type SandboxSettings,
} from '../../../connector-tryton/src/tryton/settings.ts'
import { type ConnectorProcess, startConnector } from './connector-process.ts'
import type { StepListener } from './replay-erp.ts'
import { SandboxServer } from './sandbox-server.ts'
import { DatabaseVictim } from './victims.ts'

const connectorFile = fileURLToPath(new URL('../../../connector-tryton/src/main.ts', import.meta.url))
const steppingFile = fileURLToPath(new URL('./stepping-connector.ts', import.meta.url))
const configFile = fileURLToPath(new URL('../../../connector-tryton/sandbox.json', import.meta.url))
/** The styles of the committed dump, which is restored. */
const styles = 60

export interface StartedTryton {
  readonly trytond: SandboxServer
  readonly database: DatabaseVictim
  readonly url: string
  readonly settings: SandboxSettings
}

/** Starts a Tryton from the committed dump, in a folder of its own. */
export async function startTryton(ports: {
  readonly port: number
  readonly postgresPort: number
  readonly report: (line: string) => void
}): Promise<StartedTryton> {
  // PostgreSQL and Tryton run as other users, who may not enter the folder of the replay.
  const home = await mkdtemp(join(tmpdir(), 'trade-gateway-tryton-'))
  const settings = { ...ports, home, styles, dump: committedDump }
  try {
    const sandbox = await startSandbox(settings)
    const database = new DatabaseVictim(sandbox.postgres)
    const remove = () => {
      database.release()
      return sandbox.stop({ forget: true })
    }
    const trytond = new SandboxServer({ name: 'trytond', server: sandbox.trytond, remove })
    return { trytond, database, url: sandbox.url, settings }
  } catch (error) {
    await rm(home, { recursive: true, force: true })
    throw error
  }
}

interface TrytonConnectorStart {
  readonly tryton_url: string
  readonly port: number
  /** Called after each step of a write, which goes on when it resolves. */
  readonly onStep?: StepListener
}

/** Starts the connector before a Tryton, as the user with only the rights that its README lists. */
export function startTrytonConnector(start: TrytonConnectorStart): Promise<ConnectorProcess> {
  const { tryton_url, port, onStep } = start
  return startConnector({
    file: onStep ? steppingFile : connectorFile,
    port,
    ...(onStep && { onStep }),
    env: {
      TRYTON_URL: tryton_url,
      TRYTON_DATABASE: databaseName,
      TRYTON_USER: connectorUser.user,
      TRYTON_PASSWORD: connectorUser.password,
      TRYTON_CONFIG: configFile,
    },
    readyText: 'Tryton connector at',
  })
}
