import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { accepted, erpClient, mostPerCall, type StockFigure, within } from '@trade-gateway/connector'
import type { ListedDocument } from '@trade-gateway/sandbox-erp'
import { z } from 'zod'
import type { Loose } from '../harness.ts'
import { ask, freePorts, type GatewayProcess, launchGateway, startGateway, told, until } from './processes.ts'

/**
 * A gateway with its own sandbox ERP, as a first start makes it, in a folder of its own that outlives every process:
 * on a small catalogue, so that a start is short.
 */
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

  static async make(settings: Readonly<Record<string, string>> = {}): Promise<Installation> {
    const folder = mkdtempSync(join(tmpdir(), 'tg-installation-'))
    mkdirSync(join(folder, 'data'))
    writeFileSync(join(folder, 'catalogue.csv'), catalogue())
    const [port = 0] = await freePorts(1)
    return new Installation(folder, port, settings)
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }

  start(...options: string[]): Promise<GatewayProcess> {
    return startGateway(this.#all(), options)
  }

  launch(): GatewayProcess {
    return launchGateway(this.#all())
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** What the gateway tells of its sandbox. */
  sandbox(): SandboxFile {
    return sandboxFile.parse(JSON.parse(readFileSync(join(this.dataDir, 'sandbox.json'), 'utf8')))
  }

  get erpToken(): string {
    return this.#settingsFile().SANDBOX_ERP_TOKEN ?? ''
  }

  #settingsFile() {
    return parseEnv(readFileSync(join(this.dataDir, 'settings.env'), 'utf8'))
  }

  /** Waits until the file names an ERP other than the one that ended, and answers its process id. */
  async newErp(ended: number): Promise<number> {
    const erp = () => this.sandbox().erp_pid
    await until(() => erp() !== ended, erpTimeoutMs, 'The gateway did not start its ERP again')
    return erp()
  }

  /** A token of the sandbox channel. */
  async token(): Promise<string> {
    const { client_id, client_secret } = this.sandbox()
    const body = { client_id, client_secret }
    const { access_token } = await told(ask(this.url, 'POST', '/api/v1/auth/token', { body }))
    return String(access_token)
  }

  /** A token of the sandbox account, which may order. */
  async buyerToken(): Promise<string> {
    const { SANDBOX_USERNAME: username, SANDBOX_PASSWORD: password } = this.#settingsFile()
    const body = { grant_type: 'password', username, password }
    const { access_token } = await told(ask(this.url, 'POST', '/api/v1/auth/token', { body }))
    return String(access_token)
  }

  /** Every document of the ERP, duplicates included. */
  async erpDocuments(): Promise<ErpDocuments> {
    const all: ErpDocuments = []
    for (let after: number | null = 0; after !== null; ) {
      const page: Loose = await this.#control(`documents?after=${after}`)
      all.push(...page.documents)
      after = page.next
    }
    return all
  }

  /** What all warehouses of the ERP hold. */
  async erpHeld(): Promise<number> {
    const { warehouses }: Loose = await this.#control('stock-totals')
    return warehouses.reduce((sum: number, { held }: { held: number }) => sum + held, 0)
  }

  #control(name: string): Promise<Loose> {
    return told(ask(this.sandbox().erp_url, 'GET', `/sandbox/${name}`, { token: this.erpToken }))
  }

  /** What the ERP itself says of a warehouse. */
  async erpRows(warehouse_code: string): Promise<StockFigure[]> {
    const client = erpClient(this.sandbox().erp_url, this.erpToken)
    try {
      const input = { warehouse_code, after: null, limit: mostPerCall }
      const { rows } = accepted(await client.erp['stock.snapshot'](input, within(erpTimeoutMs)))
      return rows
    } finally {
      await client.close()
    }
  }

  #all() {
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

function catalogue(): string {
  const lines = warehouses.flatMap((warehouse) =>
    Array.from({ length: skus }, (_, index) => {
      const sku = `FAULT-${String(index).padStart(4, '0')}`
      return `${sku},${sku.slice(0, -1)},Thing ${index},12.50,25.00,1000,${warehouse}`
    }),
  )
  return `sku,product_code,name,price_wholesale,price_retail,quantity,warehouse_code\n${lines.join('\n')}\n`
}
