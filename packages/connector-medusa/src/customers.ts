/** Customers: their accounts, sessions, addresses and what they may order. */
import { cutText, type ErpAddress, type ErpResult, type Output, ok, rejected } from '@trade-gateway/connector'
import { Cached } from '@trade-gateway/connector-kit/cached'
import { z } from 'zod'
import type { Environment } from './environment.ts'
import { isFailure } from './failures.ts'
import type { Goods } from './goods.ts'
import type { MedusaHttp } from './http.ts'

const idPattern = /^cus_[0-9A-Za-z]{1,60}$/
const maxAddresses = 2000
/** How old the addresses of a customer may be when an order is planned. */
const maxOwnerAgeMs = 2_000
const maxOwners = 1_000
/** A character that PostgreSQL or HTTP cannot take, or a half of a surrogate pair: no account has it. */
const impossible = /\p{Cc}|\p{Cs}/u
const tokenPattern = /^[\w-]+\.[\w-]+\.[\w-]+$/

const address = z.object({
  id: z.string(),
  address_name: z.string().nullish(),
  company: z.string().nullish(),
  first_name: z.string().nullish(),
  last_name: z.string().nullish(),
  phone: z.string().nullish(),
  address_1: z.string().nullish(),
  address_2: z.string().nullish(),
  city: z.string().nullish(),
  province: z.string().nullish(),
  postal_code: z.string().nullish(),
  country_code: z.string().nullish(),
  is_default_shipping: z.boolean(),
  updated_at: z.string(),
})
type MedusaAddress = z.output<typeof address>

const customer = z.object({
  id: z.string(),
  email: z.string(),
  company_name: z.string().nullish(),
  first_name: z.string().nullish(),
  last_name: z.string().nullish(),
  addresses: z.array(address).nullish(),
})
export type Customer = z.output<typeof customer>

const customerFields = 'id,email,company_name,first_name,last_name,addresses.*'
const wrong = 'The username or the password is wrong.'

interface CustomerSettings {
  readonly environment: Environment
  readonly publishableKey: string
  readonly goods: Goods
}

export class Customers {
  readonly #http: MedusaHttp
  /** Without the connector's own key: for calls with the rights of a customer. */
  readonly #open: MedusaHttp
  readonly #settings: CustomerSettings
  readonly #owners = new Map<string, Cached<Customer | undefined>>()

  constructor(http: MedusaHttp, open: MedusaHttp, settings: CustomerSettings) {
    this.#http = http
    this.#open = open
    this.#settings = settings
  }

  /** Reads a customer by its code, which is Medusa's id. */
  async find(code: string): Promise<Customer | undefined> {
    if (!idPattern.test(code)) return undefined
    try {
      const schema = z.object({ customer })
      return (await this.#http.get(`/admin/customers/${code}`, schema, { fields: customerFields })).customer
    } catch (error) {
      if (isFailure(error, 'missing')) return undefined
      throw error
    }
  }

  /** Reads the ids of the groups of a customer, on which prices depend. */
  async readGroups(code: string): Promise<string[]> {
    const schema = z.object({
      customer: z.object({ groups: z.array(z.object({ id: z.string() })).nullish() }),
    })
    const query = { fields: 'id,groups.id' }
    try {
      const { customer: found } = await this.#http.get(`/admin/customers/${code}`, schema, query)
      return (found.groups ?? []).map(({ id }) => id)
    } catch (error) {
      if (isFailure(error, 'missing')) return []
      throw error
    }
  }

  async listAddresses(code: string): Promise<ErpResult<Output<'addresses'>>> {
    const found = await this.find(code)
    if (!found) return rejectUnknown(code)
    return ok({ addresses: (found.addresses ?? []).slice(0, maxAddresses).flatMap(toErpAddress) })
  }

  async listSellable(code: string): Promise<ErpResult<Output<'sellable'>>> {
    if (!(await this.find(code))) return rejectUnknown(code)
    const { goods } = await this.#settings.goods.readCatalogue()
    const skus = [...goods.values()].flatMap(({ sku, isSold }) => (isSold ? [] : [sku]))
    return ok({ rule: 'all_but', skus })
  }

  /**
   * Opens a session. Medusa refuses an unknown name at once but hashes the password for a known one, so the connector
   * lets it check the password of another account for an unknown name.
   */
  async signIn({
    username,
    password,
  }: {
    username: string
    password: string
  }): Promise<ErpResult<Output<'sign_in'>>> {
    if (impossible.test(username) || impossible.test(password)) return rejected('bad_credentials', wrong)
    const email = (await this.#hasAccount(username)) ? username : await this.#findDecoy()
    const token = email === undefined ? undefined : await this.#authenticate(email, password)
    if (token === undefined || email !== username) return rejected('bad_credentials', wrong)
    const found = await this.#readOwner(token)
    if (!found) return rejected('bad_credentials', wrong)
    const { environment } = this.#settings
    return ok({
      account_id: found.id,
      name: cutText(nameOf(found), 200),
      customer_code: found.id,
      // Two tokens of the same second are equal, but two sessions must differ.
      session: `${environment.createId()}.${token}`,
      session_expires_at: readExpiry(token, environment.now()),
    })
  }

  /** Returns the customer of a session and the token for calls with its rights, if the session is open. */
  async openSession(
    session: string,
    code: string,
  ): Promise<{ readonly token: string; readonly customer: Customer } | undefined> {
    const token = session.slice(session.indexOf('.') + 1)
    if (!tokenPattern.test(token)) return undefined
    const owner = await this.#readRecentOwner(token)
    return owner?.id === code ? { token, customer: owner } : undefined
  }

  /** Reads the owner of a token, or returns what was read a moment ago: many lines of one customer come at once. */
  async #readRecentOwner(token: string): Promise<Customer | undefined> {
    const { environment } = this.#settings
    const recent =
      this.#owners.get(token) ?? new Cached(environment, maxOwnerAgeMs, () => this.#readOwner(token))
    if (this.#owners.size >= maxOwners) this.#owners.clear()
    this.#owners.set(token, recent)
    return recent.get()
  }

  async #hasAccount(email: string): Promise<boolean> {
    return (await this.#listAccounts({ email })).some((one) => one.email === email)
  }

  async #findDecoy(): Promise<string | undefined> {
    const [first] = await this.#listAccounts({ order: 'id' })
    return first?.email
  }

  async #listAccounts(query: Readonly<Record<string, string>>) {
    const schema = z.object({ customers: z.array(z.object({ email: z.string() })) })
    const fields = { has_account: true, limit: 1, fields: 'id,email' }
    return (await this.#http.get('/admin/customers', schema, { ...query, ...fields })).customers
  }

  async #authenticate(email: string, password: string): Promise<string | undefined> {
    const schema = z.object({ token: z.string().optional() })
    try {
      return (await this.#open.post('/auth/customer/emailpass', schema, { email, password })).token
    } catch (error) {
      if (isFailure(error, 'unauthorised', 'refused')) return undefined
      throw error
    }
  }

  async #readOwner(token: string): Promise<Customer | undefined> {
    try {
      const { customer: found } = await this.#open.send({
        method: 'GET',
        path: '/store/customers/me',
        query: { fields: customerFields },
        schema: z.object({ customer }),
        headers: this.toHeaders(token),
      })
      return found
    } catch (error) {
      if (isFailure(error, 'unauthorised', 'missing')) return undefined
      throw error
    }
  }

  /** The headers of a call of the Store API with the rights of a customer. */
  toHeaders(token: string): Record<string, string> {
    return { authorization: `Bearer ${token}`, 'x-publishable-api-key': this.#settings.publishableKey }
  }
}

function rejectUnknown(code: string): ErpResult<never> {
  return rejected('not_found', `There is no customer ${code}.`)
}

function nameOf({ company_name, first_name, last_name, email }: Customer): string {
  return company_name || [first_name, last_name].filter(Boolean).join(' ') || email
}

/** Reads the end of a token's validity. The token itself is checked by Medusa at each use. */
function readExpiry(token: string, now: number): string {
  const payload: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
  const parsed = z.object({ exp: z.number() }).safeParse(payload)
  return new Date(parsed.success ? parsed.data.exp * 1000 : now).toISOString()
}

/** An address without a street, a city or a country cannot be delivered to. */
export function toErpAddress(one: MedusaAddress): ErpAddress[] {
  const street = [one.address_1, one.address_2].filter(Boolean).join(', ')
  if (!street || !one.city || !one.country_code) return []
  const name = [one.first_name, one.last_name].filter(Boolean).join(' ')
  return [
    {
      address_id: one.id,
      name: cutText(name || one.company || one.address_name || 'Delivery', 200),
      phone: cutText(one.phone ?? '', 32) || null,
      company: cutText(one.company ?? '', 200) || null,
      address: cutText(street, 400),
      country_code: one.country_code.toUpperCase(),
      state: cutText(one.province ?? '', 100) || null,
      city: cutText(one.city, 100),
      postal_code: cutText(one.postal_code ?? '', 20) || null,
      is_default: one.is_default_shipping,
      updated_at: new Date(one.updated_at).toISOString(),
    },
  ]
}
