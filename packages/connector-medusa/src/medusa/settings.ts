/** What a sandbox is made of. Ports are on 127.0.0.1. */
export interface SandboxSettings {
  /** The folder of the installed packages, which a later start uses again. */
  readonly home: string
  /** The folder of this start: Medusa's configuration, its logs and, if it has its own, the database. */
  readonly work: string
  readonly port: number
  readonly postgresPort: number
  /** An existing PostgreSQL database; undefined starts a server of the sandbox's own. */
  readonly databaseUrl: string | undefined
  /** The number of styles of four SKUs each, if the database is filled by this start. */
  readonly styles: number
  /** The number of warehouses, of those in `warehouses`, if the database is filled by this start. */
  readonly warehouses: number
  readonly report: (line: string) => void
}

/** Exact, so that a change of Medusa is a change of this file. */
export const medusaVersion = '2.21.2'
export const databaseName = 'medusa_trade'
export const databaseUser = 'medusa'
/** Medusa listens on 127.0.0.1 only, so that these passwords open nothing else. */
export const admin = { email: 'admin@medusa.example', password: 'sandbox-Admin-12345' } as const
export const customerPassword = 'sandbox-Shop-12345'

export interface SeededCustomer {
  readonly name: string
  readonly email: string
  readonly isWholesale: boolean
  readonly addresses: readonly SeededAddress[]
}

export interface SeededAddress {
  readonly city: string
  readonly street: string
  readonly state: string
  readonly postalCode: string
}

const sydney = { city: 'Sydney', street: '1 Harbour Street', state: 'NSW', postalCode: '2000' }
const newcastle = { city: 'Newcastle', street: '7 King Street', state: 'NSW', postalCode: '2300' }

export const customers: readonly SeededCustomer[] = [
  {
    name: 'Harbour Stores',
    email: 'harbour@shop.example',
    isWholesale: true,
    addresses: [sydney, newcastle],
  },
  { name: 'Lantern Trading', email: 'lantern@shop.example', isWholesale: true, addresses: [newcastle] },
  { name: 'Corner Retail', email: 'corner@shop.example', isWholesale: false, addresses: [sydney] },
]

export const wholesaleList = 'Wholesale'
export const wholesaleGroup = 'wholesale'

export const warehouses = [
  { code: 'AUSYD1', name: 'Sydney 1', country: 'au', city: 'Sydney', timezone: 'Australia/Sydney' },
  { code: 'AUSYD2', name: 'Sydney 2', country: 'au', city: 'Sydney', timezone: 'Australia/Sydney' },
  { code: 'CHNZJ1', name: 'Zhejiang 1', country: 'cn', city: 'Hangzhou', timezone: 'Asia/Shanghai' },
] as const

/** The shipping options of every warehouse. `type` is the code that the connector's configuration names. */
export const carriers = [
  { type: 'standard', name: 'Standard freight', kind: 'shipping', price: 12 },
  { type: 'express', name: 'Express freight', kind: 'shipping', price: 25 },
  { type: 'pickup', name: 'Pick-up', kind: 'pickup', price: 0 },
] as const

export const toUrl = ({ port }: Pick<SandboxSettings, 'port'>) => `http://127.0.0.1:${port}`
