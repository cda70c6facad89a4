/**
 * Customers sign in on the route of Tryton's web shop. It takes 1.2 s for a wrong password and 50 ms for an unknown
 * name, and some characters break it. Every refusal therefore takes the same time, and impossible texts are refused
 * before they are sent. Tryton counts no failures on this route: the gateway's own guard slows guesses down.
 */
import { cutText, type ErpResult, type Output, ok, rejected } from '@trade-gateway/connector'
import { z } from 'zod'
import type { Connector } from './connector.ts'
import type { Customer } from './customers.ts'
import { TrytonFailure } from './failures.ts'
import { formatInstant, id } from './values.ts'

const refusal = () => rejected('bad_credentials', 'The name or the password is wrong.')
const callMs = 15_000
/** The time of every refusal, in milliseconds, unless the slowest one took longer so far. */
const minRefusalMs = 1_500
const maxRefusalMs = 6_000
/** How long a session that was found open counts as open. */
const maxSessionAgeMs = 10_000
const maxSessions = 10_000
const sessionPattern = /^(.{1,200}):([0-9a-f]{16,256})$/s

const reply = z.object({ code: z.union([z.int(), z.string()]), result: z.unknown() })
const me = z.object({
  email: z.string(),
  // An account without a party has none.
  addresses: z.array(z.object({ id })).default([]),
  default_billing: z.int().nullish(),
})

export class SignIn {
  readonly #connector: Connector
  readonly #sessions = new Map<string, { readonly at: number; readonly customer: Customer }>()
  #refusalMs = minRefusalMs

  constructor(connector: Connector) {
    this.#connector = connector
  }

  async signIn(credentials: { username: string; password: string }): Promise<ErpResult<Output<'sign_in'>>> {
    const { environment, config } = this.#connector
    const began = environment.elapsed()
    const { shop } = config
    const token = await this.#logIn(shop, credentials)
    const found = token === undefined ? undefined : await this.#readAccount(shop, token)
    if (!found || token === undefined) {
      await this.#equalise(began)
      return refusal()
    }
    const { customer, email } = found
    const session = `${shop}:${token}`
    this.#keep(session, customer)
    return ok({
      account_id: email.slice(0, 64),
      name: cutText(customer.name, 200),
      customer_code: customer.code,
      session,
      session_expires_at: formatInstant(environment.now() + config.session_hours * 3_600_000),
    })
  }

  /** Returns the customer of a session, or undefined if it is not open. */
  async findCustomer(session: string): Promise<Customer | undefined> {
    const kept = this.#sessions.get(session)
    if (kept && this.#connector.environment.elapsed() - kept.at < maxSessionAgeMs) return kept.customer
    const [, shop, token] = sessionPattern.exec(session) ?? []
    if (shop === undefined || token === undefined) return undefined
    const found = await this.#readAccount(shop, token)
    if (found) this.#keep(session, found.customer)
    return found?.customer
  }

  #keep(session: string, customer: Customer): void {
    if (this.#sessions.size >= maxSessions) this.#sessions.clear()
    this.#sessions.set(session, { at: this.#connector.environment.elapsed(), customer })
  }

  /** A refusal takes as long as the slowest one so far, so that its time says nothing about the name. */
  async #equalise(began: number): Promise<void> {
    const { environment } = this.#connector
    const took = environment.elapsed() - began
    this.#refusalMs = Math.min(maxRefusalMs, Math.max(this.#refusalMs, took))
    if (took < this.#refusalMs) await environment.pause(this.#refusalMs - took)
  }

  async #logIn(
    shop: string,
    credentials: { username: string; password: string },
  ): Promise<string | undefined> {
    if (!isPossible(credentials.username) || !isPossible(credentials.password)) return undefined
    const body = JSON.stringify(credentials)
    const { code, result } = await this.#request(shop, 'login', { method: 'POST', body })
    const token = z.string().min(1).safeParse(result)
    if (code === 200 && token.success) return token.data
    if (Number(code) < 500) return undefined
    throw new TrytonFailure('unknown', 'user/login', `the shop returned ${code}`)
  }

  /** Reads the account of a session: the party of its addresses. Undefined if the session is not open. */
  async #readAccount(
    shop: string,
    token: string,
  ): Promise<{ customer: Customer; email: string } | undefined> {
    const { code, result } = await this.#request(shop, `me?token=${encodeURIComponent(token)}`, {
      method: 'GET',
    })
    if (Number(code) === 401) return undefined
    const account = me.safeParse(result)
    if (code !== 200 || !account.success)
      throw new TrytonFailure('unknown', 'user/me', `the shop returned ${code}`)
    const { email, addresses, default_billing } = account.data
    const customer = await this.#findParty(default_billing ?? addresses[0]?.id)
    if (customer) return { customer, email }
    this.#connector.log(
      `account ${email}: its customer lacks an address or a code, or is not active, so it cannot sign in or order`,
    )
    return undefined
  }

  /**
   * Finds the active party of an address of the account. Never by the e-mail of the account: the shop lets anybody create
   * one, also with the e-mail of a customer.
   */
  async #findParty(address: number | undefined): Promise<Customer | undefined> {
    if (address === undefined) return undefined
    const row = z.object({
      'party.': z.object({ id, code: z.string().nullish(), name: z.string().nullish(), active: z.boolean() }),
    })
    const fields = ['party.code', 'party.name', 'party.active']
    const { rpc } = this.#connector
    const [found] = await rpc.searchRead('party.address', [['id', '=', address]], row, { fields })
    const party = found?.['party.']
    if (!party?.code || !party.active) return undefined
    return { id: party.id, code: party.code, name: party.name || party.code }
  }

  async #request(shop: string, action: string, init: RequestInit): Promise<z.output<typeof reply>> {
    const { url, database } = this.#connector.config
    const base = url.replace(/\/+$/, '')
    const path = `${base}/${encodeURIComponent(database)}/web_shop_vue_storefront/${encodeURIComponent(shop)}/user/${action}`
    const response = await fetch(path, {
      ...init,
      headers: { 'content-type': 'application/json' },
      redirect: 'error',
      signal: AbortSignal.timeout(callMs),
    })
    const parsed = reply.safeParse(await response.json().catch(() => undefined))
    if (parsed.success) return parsed.data
    throw new TrytonFailure(
      'unknown',
      `user/${action.split('?')[0]}`,
      `the shop returned HTTP ${response.status}`,
    )
  }
}

/** NUL, lone surrogates and line breaks fail inside Tryton. No account has them. */
export function isPossible(text: string): boolean {
  return text.isWellFormed() && !/[\0\r\n]/.test(text) && text.trim() !== ''
}
