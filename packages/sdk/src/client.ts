import { OutcomeRecovery } from './recovery.ts'
import { Errors, IdempotencyKeys, PlanRequests, Requests } from './resources/account.ts'
import { Auth } from './resources/auth.ts'
import { Calls, type RawOptions } from './resources/calls.ts'
import { Carts } from './resources/carts.ts'
import { Dropship } from './resources/dropship.ts'
import { Events } from './resources/events.ts'
import { Orders } from './resources/orders.ts'
import { Products } from './resources/products.ts'
import { Holds, Reservations } from './resources/reservations.ts'
import type { Data, Sent } from './resources/shapes.ts'
import { Addresses, Shipments, ShippingMethods } from './resources/shipping.ts'
import { Balances, Bills, FreightBills, Refunds, Transactions } from './resources/statements.ts'
import { Stock, Warehouses } from './resources/stock.ts'
import { WebhookDeliveries, WebhookEndpoints } from './resources/webhooks.ts'
import { buildGrant, type Credentials, checkCredentials, type ProvidedToken } from './tokens/credentials.ts'
import { type TokenStore, Tokens } from './tokens/tokens.ts'
import type { Call } from './transport/call.ts'
import type { ClientEvents } from './transport/events.ts'
import { mergeHeaders } from './transport/headers.ts'
import { describeStoreFailure } from './transport/notice.ts'
import { type CallOptions, readBaseUrl, readLimits } from './transport/options.ts'
import { Transport } from './transport/transport.ts'

/** How a client reaches its gateway. */
export interface GatewayOptions {
  /** The address of the gateway, without `/api/v1`. */
  readonly baseUrl: string
  readonly auth: Credentials
  /**
   * Keeps the token between processes. If it fails, or does not respond within 3 seconds, the token is used without it,
   * and `notice` tells.
   */
  readonly tokenStore?: TokenStore
  /** How long before its end a token is replaced. Default 60 seconds. */
  readonly refreshSkewMs?: number
  /** How often a failed request is repeated. Default 3. */
  readonly maxRetries?: number
  /** How long one request may take. Default 45 seconds. */
  readonly attemptTimeoutMs?: number
  /** How long a call may take with all its retries. Default 120 seconds. */
  readonly deadlineMs?: number
  /** `smooth` waits before a call that the quota could not pay. Default `off`. */
  readonly pace?: 'off' | 'smooth'
  /** The language of `message` and `hint`. Default `en`. */
  readonly language?: 'en' | 'zh' | 'ko'
  /**
   * Headers of every request, such as `user-agent`. They replace those of the SDK, except for the token, the key and the
   * type of a body.
   */
  readonly headers?: Readonly<Record<string, string>>
  /** Another `fetch`, such as one with a proxy. */
  readonly fetch?: typeof fetch
}

/**
 * A client of one gateway. It has a method for each endpoint of the contract, named as in the contract:
 * `dropship.submit` is `client.dropship.submit`. A method returns the member `data` of the response, and a list returns
 * rows by `for await`. A failed call throws `GatewayError`.
 *
 * @example
 * const client = new TradeGateway({ baseUrl, auth: { username, password } })
 * const order = await client.dropship.submit({ sku, quantity: 1, recipient, client_order_number: 'WEB-1' })
 */
export class TradeGateway {
  readonly auth: Auth
  readonly planRequests: PlanRequests
  readonly warehouses: Warehouses
  readonly stock: Stock
  readonly products: Products
  readonly shippingMethods: ShippingMethods
  readonly addresses: Addresses
  readonly orders: Orders
  readonly dropship: Dropship
  readonly reservations: Reservations
  readonly holds: Holds
  readonly carts: Carts
  readonly shipments: Shipments
  readonly balances: Balances
  readonly transactions: Transactions
  readonly bills: Bills
  readonly refunds: Refunds
  readonly freightBills: FreightBills
  readonly webhookEndpoints: WebhookEndpoints
  readonly webhookDeliveries: WebhookDeliveries
  readonly events: Events
  readonly idempotencyKeys: IdempotencyKeys
  readonly requests: Requests
  readonly errors: Errors
  readonly #calls: Calls
  readonly #transport: Transport

  /** Throws `UsageError` for options that cannot work. Sends nothing. */
  constructor(options: GatewayOptions) {
    checkCredentials(options.auth)
    const tokens = new Tokens({
      credentials: options.auth,
      request: () => this.#requestToken(options.auth),
      store: options.tokenStore,
      onStoreFailure: (reason) => this.#transport.announce(describeStoreFailure(reason), 'Warning'),
      refreshMs: options.refreshSkewMs,
      now: () => performance.now(),
    })
    this.#transport = openTransport(options, tokens, () => this.#calls)
    const calls = new Calls(this.#transport)
    this.#calls = calls
    this.auth = new Auth(calls, tokens)
    this.planRequests = new PlanRequests(calls)
    this.warehouses = new Warehouses(calls)
    this.stock = new Stock(calls)
    this.products = new Products(calls)
    this.shippingMethods = new ShippingMethods(calls)
    this.addresses = new Addresses(calls)
    this.orders = new Orders(calls)
    this.dropship = new Dropship(calls)
    this.reservations = new Reservations(calls)
    this.holds = new Holds(calls)
    this.carts = new Carts(calls)
    this.shipments = new Shipments(calls)
    this.balances = new Balances(calls)
    this.transactions = new Transactions(calls)
    this.bills = new Bills(calls)
    this.refunds = new Refunds(calls)
    this.freightBills = new FreightBills(calls)
    this.webhookEndpoints = new WebhookEndpoints(calls)
    this.webhookDeliveries = new WebhookDeliveries(calls)
    this.events = new Events(calls)
    this.idempotencyKeys = new IdempotencyKeys(calls)
    this.requests = new Requests(calls)
    this.errors = new Errors(calls)
  }

  /**
   * Reads who the token belongs to: account, channel, warehouses, permissions and what is left of the points.
   *
   * @see `/reference/me`
   */
  me(options?: CallOptions): Call<Data<'me'>> {
    return this.#calls.read('me', {}, options)
  }

  /**
   * Calls an endpoint by its path, with token, retries and `Idempotency-Key`: for one that this version does not know.
   * Returns the whole body.
   *
   * @example const body = await client.request('GET', '/api/v1/me')
   */
  request(method: string, path: string, options?: RawOptions): Call<unknown> {
    return this.#calls.request(method, path, options)
  }

  /**
   * Listens to requests, responses, retries and notices of deprecation or of a token store that fails. Events hold no
   * secret and no body. The returned function ends it. Without a listener, a notice becomes a warning of the process,
   * once.
   */
  on<Type extends keyof ClientEvents>(type: Type, listener: (event: ClientEvents[Type]) => void): () => void {
    return this.#transport.listeners.add(type, listener)
  }

  async #requestToken(credentials: Credentials): Promise<ProvidedToken> {
    if (typeof credentials === 'function') return credentials()
    if ('accessToken' in credentials) return { accessToken: credentials.accessToken }
    const granted = await this.#calls.write('auth.token', {}, toTokenRequest(credentials))
    return { accessToken: granted.access_token, expiresInMs: granted.expires_in * 1000 }
  }
}

function openTransport(options: GatewayOptions, tokens: Tokens, getCalls: () => Calls): Transport {
  const { language } = options
  const setting = {
    baseUrl: readBaseUrl(options.baseUrl),
    // Browsers refuse a fetch that is called as a method of something else.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    limits: readLimits(options),
    headers: mergeHeaders(
      { accept: 'application/json', ...(language ? { 'accept-language': language } : {}) },
      options.headers ?? {},
    ),
    isPaced: options.pace === 'smooth',
    now: () => performance.now(),
    random: Math.random,
  } satisfies ConstructorParameters<typeof Transport>[0]
  const { now } = setting
  const recovery = new OutcomeRecovery({ getCalls, send: (...write) => transport.send(...write), now })
  const transport: Transport = new Transport(setting, tokens, (...open) => recovery.recover(...open))
  return transport
}

/** The contract types the two grants as one object with many optional members. */
function toTokenRequest(credentials: Credentials): Sent<'auth.token'> {
  return buildGrant(credentials) as Sent<'auth.token'>
}
