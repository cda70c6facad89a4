import { type GatewayOptions, TradeGateway } from '../../src/index.ts'
import type { LoggedRequest } from '../faulty-server.ts'

/** What the cases call. It travels to other runtimes as JSON. */
export interface Target {
  /** A whole gateway on the sandbox. */
  readonly gatewayUrl: string
  /** A server of `faulty-server.ts`. */
  readonly faultyUrl: string
  readonly channel: { readonly clientId: string; readonly clientSecret: string }
  readonly buyer: { readonly username: string; readonly password: string }
  /** A SKU with plenty of stock in AUSYD1. */
  readonly sku: string
}

/** One test that runs in every runtime. It throws if it fails. */
export interface Case {
  readonly name: string
  /** Whether the case uses no credentials, so that it makes sense in a browser. */
  readonly isPublic?: boolean
  run(target: Target): Promise<void>
}

/** A client of one run of a script, with the requests that the run received. */
export interface ScriptedRun {
  readonly client: TradeGateway
  readLog(): Promise<readonly LoggedRequest[]>
  /** The requests without those for tokens. */
  readCalls(): Promise<readonly LoggedRequest[]>
}

export function openRun(
  { faultyUrl }: Target,
  script: string,
  options: Partial<GatewayOptions> = {},
): ScriptedRun {
  const baseUrl = `${faultyUrl}/${script}/${crypto.randomUUID()}`
  const client = new TradeGateway({ baseUrl, auth: { clientId: 'id', clientSecret: 'secret' }, ...options })
  const readLog = async () => asLog(await (await fetch(`${baseUrl}/log`)).json())
  return {
    client,
    readLog,
    readCalls: async () => (await readLog()).filter(({ path }) => path !== '/api/v1/auth/token'),
  }
}

/** The log is written by the faulty server of the same suite. */
function asLog(value: unknown): readonly LoggedRequest[] {
  return value as readonly LoggedRequest[]
}

export const recipient = {
  name: 'Alex Lee',
  phone: '+61 2 5550 1234',
  address: '1 Example Street',
  city: 'Sydney',
  state: 'NSW',
  postal_code: '2000',
  country_code: 'AU',
}

/** A body of a drop-ship order with a number of its own. */
export function buildOrder(sku = 'A-1') {
  return { sku, quantity: 1, recipient, client_order_number: `NO-${crypto.randomUUID()}` }
}
