import { Locks } from '@trade-gateway/connector-kit/locks'
import { ConfigError } from '@trade-gateway/connector-kit/settings'
import type { Config } from './config.ts'
import type { Environment } from './environment.ts'
import { Forms } from './forms.ts'
import { type Places, readPlaces, type Warehouse } from './places.ts'
import { Rpc } from './rpc.ts'
import type { StepName } from './steps.ts'

/** What every operation works with. The connector keeps no state besides caches: everything is in Tryton. */
export interface Connector {
  readonly rpc: Rpc
  readonly forms: Forms
  readonly config: Config
  readonly places: Places
  readonly environment: Environment
  /** One lock for each reference. */
  readonly locks: Locks
  /** Tells the operator what was left out or went wrong, in one line. */
  readonly log: (line: string) => void
  /** Called after each step of a write. Tests end the process in it. */
  readonly onStep: (step: StepName, reference: string) => void | Promise<void>
}

interface Options {
  readonly environment: Environment
  readonly log: (line: string) => void
  readonly onStep?: Connector['onStep']
}

/**
 * Connects to Tryton and checks the configuration. Throws `ConfigError`, or `UnavailableError` if Tryton does not respond,
 * with a sentence for the operator.
 */
export async function openConnector(config: Config, options: Options): Promise<Connector> {
  const { environment, log, onStep = () => undefined } = options
  const { url, database, user, password } = config
  const rpc = new Rpc({ url, database, user, password, environment })
  const places = await readPlaces(rpc, config)
  return {
    rpc,
    forms: new Forms(rpc, environment),
    config,
    places,
    environment,
    locks: new Locks(),
    log,
    onStep,
  }
}

export function findWarehouse({ places }: Connector, code: string): Warehouse | undefined {
  return places.warehouses.find((warehouse) => warehouse.code === code)
}

/** Returns the warehouse of a location's id, for documents of Tryton. */
export function requireWarehouse({ places }: Connector, id: number | null | undefined): Warehouse {
  const found = places.warehouses.find((warehouse) => warehouse.id === id)
  if (found) return found
  throw new ConfigError(`A document is in the warehouse ${id}, which is not in the configuration.`)
}
