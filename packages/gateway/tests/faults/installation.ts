/**
 * A gateway with its own sandbox ERP, as after a first start, in a separate folder that remains when its processes end.
 * Its catalogue is small, so it starts quickly.
 */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { erpClient, maxPerCall, type StockFigure, unwrap, withTimeout } from '@trade-gateway/connector'
import type { ListedDocument } from '@trade-gateway/sandbox-erp'
import { z } from 'zod'
import { findFreePort } from '../../../trials/src/free-ports.ts'
import type { LooseJson } from '../harness.ts'
import {
  type GatewayProcess,
  launchGateway,
  readJson,
  sendRequest,
  startGateway,
  waitUntil,
} from './processes.ts'

const sandboxFile = z.object({
  base_url: z.string(),
  client_id: z.string(),
  client_secret: z.string(),
  erp_url: z.string(),
  erp_pid: z.int(),
})
type ErpDocuments = Pick<
  ListedDocument,
  'reference' | 'kind' | 'status' | 'copy' | 'lines' | 'client_order_number'
>[]
export type SandboxFile = z.infer<typeof sandboxFile>

const erpTimeoutMs = 30_000
const warehouses = ['AUSYD1', 'AUSYD2', 'CHNZJ1']
const skus = 200

export class Installation {
  readonly dataDir: string
  readonly #folder: string
  readonly #port: number
  readonly #settings: Readonly<Record<string, string>>

  private constructor(folder: string, port: number, settings: Readonly<Record<string, string>>) {
    this.#folder = folder
    this.dataDir = join(folder, 'data')
    this.#port = port
    this.#settings = settings
  }

  static async create(settings: Readonly<Record<string, string>> = {}): Promise<Installation> {
    const folder = mkdtempSync(join(tmpdir(), 'tg-installation-'))
    mkdirSync(join(folder, 'data'))
    writeFileSync(join(folder, 'catalogue.csv'), buildCatalogue())
    const port = await findFreePort()
    return new Installation(folder, port, settings)
  }

  /** Returns the same installation with other settings, such as another database. */
  withSettings(settings: Readonly<Record<string, string>>): Installation {
    return new Installation(this.#folder, this.#port, { ...this.#settings, ...settings })
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }

  start(...options: string[]): Promise<GatewayProcess> {
    return startGateway(this.#buildSettings(), options)
  }

  /** Starts the gateway and does not wait until it is ready. */
  launch(): GatewayProcess {
    return launchGateway(this.#buildSettings())
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Reads the file in which the gateway describes its sandbox. */
  readSandbox(): SandboxFile {
    return sandboxFile.parse(JSON.parse(readFileSync(join(this.dataDir, 'sandbox.json'), 'utf8')))
  }

  get erpToken(): string {
    return this.#readSettings().SANDBOX_ERP_TOKEN ?? ''
  }

  #readSettings() {
    return parseEnv(readFileSync(join(this.dataDir, 'settings.env'), 'utf8'))
  }

  /** Waits until `sandbox.json` names an ERP process other than `ended`, and returns its process id. */
  async waitForNewErp(ended: number): Promise<number> {
    const readErpPid = () => this.readSandbox().erp_pid
    await waitUntil(() => readErpPid() !== ended, erpTimeoutMs, 'The gateway did not start its ERP again')
    return readErpPid()
  }

  /** Requests a token for the sandbox channel. */
  async requestToken(): Promise<string> {
    const { client_id, client_secret } = this.readSandbox()
    const body = { client_id, client_secret }
    const { access_token } = await readJson(sendRequest(this.url, 'POST', '/api/v1/auth/token', { body }))
    return String(access_token)
  }

  /** Requests a token for the sandbox account, which may place orders. */
  async requestBuyerToken(): Promise<string> {
    const { SANDBOX_USERNAME: username, SANDBOX_PASSWORD: password } = this.#readSettings()
    const body = { grant_type: 'password', username, password }
    const { access_token } = await readJson(sendRequest(this.url, 'POST', '/api/v1/auth/token', { body }))
    return String(access_token)
  }

  /** Reads every document of the ERP, duplicates included. */
  async readErpDocuments(): Promise<ErpDocuments> {
    const all: ErpDocuments = []
    for (let after: number | null = 0; after !== null; ) {
      const page: LooseJson = await this.#readControl(`documents?after=${after}`)
      all.push(...page.documents)
      after = page.next
    }
    return all
  }

  /** Returns the total quantity that the ERP holds in all warehouses. */
  async countHeldAtErp(): Promise<number> {
    const { warehouses }: LooseJson = await this.#readControl('stock-totals')
    return warehouses.reduce((sum: number, { held }: { held: number }) => sum + held, 0)
  }

  #readControl(name: string): Promise<LooseJson> {
    return readJson(
      sendRequest(this.readSandbox().erp_url, 'GET', `/sandbox/${name}`, { token: this.erpToken }),
    )
  }

  /** Reads the ERP's own rows of a warehouse. */
  async readErpRows(warehouse_code: string): Promise<StockFigure[]> {
    const client = erpClient(this.readSandbox().erp_url, this.erpToken)
    try {
      const input = { warehouse_code, after: null, limit: maxPerCall }
      const { rows } = unwrap(await client.erp['stock.snapshot'](input, withTimeout(erpTimeoutMs)))
      return rows
    } finally {
      await client.close()
    }
  }

  #buildSettings() {
    return {
      SANDBOX_CATALOGUE: join(this.#folder, 'catalogue.csv'),
      SANDBOX_ACTIVITY: '0',
      SYNC_INTERVAL_MS: '50',
      RATE_LIMIT_POINTS: '1000000000',
      TOKEN_TTL_SECONDS: '86400',
      ...this.#settings,
      DATA_DIR: this.dataDir,
      PORT: String(this.#port),
    }
  }
}

function buildCatalogue(): string {
  const lines = warehouses.flatMap((warehouse) =>
    Array.from({ length: skus }, (_, index) => {
      const sku = `FAULT-${String(index).padStart(4, '0')}`
      return `${sku},${sku.slice(0, -1)},Thing ${index},12.50,25.00,1000,${warehouse}`
    }),
  )
  return `sku,product_code,name,price_wholesale,price_retail,quantity,warehouse_code\n${lines.join('\n')}\n`
}
