/** The processes of a Medusa in a replay: PostgreSQL and Medusa of a sandbox, and the connector before them. */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findMedusaHome } from '../../../connector-medusa/src/medusa/install.ts'
import { startSandbox } from '../../../connector-medusa/src/medusa/sandbox.ts'
import type { Keys } from '../../../connector-medusa/src/medusa/seed.ts'
import { warehouses } from '../../../connector-medusa/src/medusa/settings.ts'
import { type ConnectorProcess, startConnector } from './connector-process.ts'
import { SandboxServer } from './sandbox-server.ts'
import { DatabaseVictim } from './victims.ts'

const connectorFile = fileURLToPath(new URL('../../../connector-medusa/src/main.ts', import.meta.url))
const configFile = fileURLToPath(new URL('../../../connector-medusa/sandbox.json', import.meta.url))
export interface StartedMedusa {
  readonly medusa: SandboxServer
  readonly database: DatabaseVictim | undefined
  readonly url: string
  readonly keys: Keys
}

/** Starts a Medusa with a database of its own. The first start of a machine installs Medusa, which takes minutes. */
export async function startMedusa(ports: {
  readonly port: number
  readonly postgresPort: number
  /** The styles of the sandbox's own goods. */
  readonly styles: number
  readonly report: (line: string) => void
}): Promise<StartedMedusa> {
  // PostgreSQL runs as another user, who may not enter the folder of the replay.
  const work = await mkdtemp(join(tmpdir(), 'trade-gateway-medusa-'))
  await chmod(work, 0o755)
  const forget = () => rm(work, { recursive: true, force: true, maxRetries: 5 })
  try {
    const home = findMedusaHome(process.env)
    const sandbox = await startSandbox({
      ...{ ...ports, home, work, databaseUrl: undefined },
      warehouses: warehouses.length,
    })
    const database = sandbox.postgres && new DatabaseVictim(sandbox.postgres)
    const remove = async () => {
      database?.release()
      await sandbox.stop()
      await forget()
    }
    const medusa = new SandboxServer({ name: 'medusa', server: sandbox.server, remove })
    return { medusa, database, url: sandbox.url, keys: sandbox.keys }
  } catch (error) {
    await forget()
    throw error
  }
}

/** Starts the connector before a Medusa, by default with the configuration for a whole sandbox. */
export function startMedusaConnector(
  { url, keys }: Pick<StartedMedusa, 'url' | 'keys'>,
  port: number,
  config = configFile,
): Promise<ConnectorProcess> {
  return startConnector({
    file: connectorFile,
    port,
    env: {
      MEDUSA_URL: url,
      MEDUSA_SECRET_KEY: keys.secretKey,
      MEDUSA_PUBLISHABLE_KEY: keys.publishableKey,
      MEDUSA_CONFIG: config,
    },
    readyText: 'Medusa connector at',
  })
}
