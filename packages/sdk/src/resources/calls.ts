import { UsageError } from '../errors/errors.ts'
import { type OperationId, operations } from '../generated/operations.ts'
import { type Call, type Reply, toCall } from '../transport/call.ts'
import type { CallOptions, WriteOptions } from '../transport/options.ts'
import type { ApiCall, Transport } from '../transport/transport.ts'
import { type PageReader, Pages, type Place } from './pages.ts'
import { fillPath, formatQuery, type PathValues, type QueryValue } from './path.ts'
import type { Data, Filters, Query, Result, Row, Sent } from './shapes.ts'

/** The ids of the endpoints that are lists. */
export type ListId = { [Id in OperationId]: Data<Id> extends readonly unknown[] ? Id : never }[OperationId]

/** A call of `client.request`. */
export interface RawOptions extends WriteOptions {
  readonly query?: Readonly<Record<string, QueryValue>> | undefined
  readonly body?: unknown
}

export const maxKeyLength = 255

/** Turns the methods of the resources into calls. The bodies have the types of the contract, by the endpoint's id. */
export class Calls {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Reads a document: the member `data` of the response. */
  read<Id extends OperationId>(
    id: Id,
    values: PathValues = {},
    options: CallOptions = {},
    query?: Query<Id>,
  ): Call<Data<Id>> {
    return toCall(this.#send(id, { values, options, query }), (body) => asResult<Data<Id>>(takeData(body)))
  }

  /** Reads a response that has more than `data`. */
  readWhole<Id extends OperationId>(
    id: Id,
    values: PathValues,
    query: Query<Id> | undefined,
    options: CallOptions = {},
  ): Call<Result<Id>> {
    return toCall(this.#send(id, { values, options, query }), asResult<Result<Id>>)
  }

  /** Performs a write under an `Idempotency-Key`, which is made here, once for all its requests. */
  write<Id extends OperationId>(
    id: Id,
    values: PathValues,
    body: Sent<Id> | undefined,
    options: WriteOptions = {},
  ): Call<Data<Id>> {
    return toCall(this.#send(id, { values, options, body }), (found) => asResult<Data<Id>>(takeData(found)))
  }

  /** Reads a list page by page. */
  list<Id extends ListId>(
    id: Id,
    filters: Filters<Id> | undefined,
    identify: (row: Row<Id>) => string,
    more: Omit<ListSetting<Id>, 'identify'> = {},
  ): Pages<Row<Id>, ListPage<Id>> {
    const { values = {}, options = {}, ...places } = more
    const read = async (place: Place) => {
      const { body } = await this.#send(id, { values, options, query: { ...filters, ...place } })
      return asResult<ListPage<Id>>(body)
    }
    return new Pages<Row<Id>, ListPage<Id>>({ read, identify, ...places })
  }

  /** Calls any endpoint, also one that this version of the SDK does not know. Returns the whole body. */
  request(method: string, path: string, options: RawOptions = {}): Call<unknown> {
    return toCall(this.#sendRaw(method.toUpperCase(), path, options), (found) => found)
  }

  async #sendRaw(method: string, path: string, { query = {}, body, ...options }: RawOptions): Promise<Reply> {
    if (!path.startsWith('/')) throw new UsageError(`The path must begin with /, and is "${path}".`)
    return this.#transport.send({
      operation: undefined,
      method,
      path: path + formatQuery(query),
      body: body === undefined ? undefined : JSON.stringify(body),
      idempotencyKey: method === 'GET' || method === 'HEAD' ? undefined : chooseKey(options),
      isPublic: false,
      points: 1,
      options,
    })
  }

  async #send(id: OperationId, { values, query, body, options }: Parts): Promise<Reply> {
    const operation: Operation = operations[id]
    const { method, path, points, isPublic = false } = operation
    const call: ApiCall = {
      operation: id,
      method,
      path: fillPath(path, values) + (query ? formatQuery(query) : ''),
      body: body === undefined ? undefined : JSON.stringify(body),
      idempotencyKey: method === 'GET' || isPublic ? undefined : chooseKey(options),
      isPublic,
      points: computePoints(id, points, query),
      options,
    }
    return this.#transport.send(call)
  }
}

/** A page of a list, with everything that the endpoint returns. */
export type ListPage<Id extends ListId> = Result<Id> & { readonly data: readonly Row<Id>[] }

interface ListSetting<Id extends ListId> extends Omit<PageReader<Row<Id>, ListPage<Id>>, 'read'> {
  readonly values?: PathValues
  readonly options?: CallOptions | undefined
}

interface Operation {
  readonly method: string
  readonly path: string
  readonly points?: number
  readonly isPublic?: boolean
}

interface Parts {
  readonly values: PathValues
  readonly options: WriteOptions
  readonly query?: Readonly<Record<string, QueryValue>> | undefined
  readonly body?: unknown
}

const pullPoints = 60
const stockPagePoints = 5

/** What a call costs at least, for the pacer. A stock read costs by what it asks for; others have one price. */
function computePoints(id: OperationId, points = 1, query: Parts['query'] = {}): number {
  if (id !== 'stock.list' || query.sku !== undefined || query.product_code !== undefined) return points
  const isPage = query.page !== undefined || query.page_size !== undefined || query.cursor !== undefined
  return isPage ? stockPagePoints : pullPoints
}

function chooseKey({ idempotencyKey }: WriteOptions): string {
  if (idempotencyKey === undefined) return crypto.randomUUID()
  checkKey(idempotencyKey)
  return idempotencyKey
}

/** Throws `UsageError` for a key that the gateway refuses, or that is longer than `maxLength`. */
export function checkKey(key: string, maxLength = maxKeyLength): void {
  if (key.length <= maxLength && /^[\x21-\x7e]+$/.test(key)) return
  throw new UsageError(`idempotencyKey must be 1 to ${maxLength} visible ASCII characters.`)
}

function takeData(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'data' in body ? body.data : undefined
}

/** The gateway's conformance tests check every response against the contract, of which these types are generated. */
function asResult<T>(body: unknown): T {
  return body as T
}
