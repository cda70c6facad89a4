/**
 * The operations of a history and the shapes of their input and output. A recorder may leave out what it does not know:
 * the checker judges what is there.
 *
 * The name of a field says the same in every operation. `order` is the number by which client and ERP both know an
 * order. `version` counts up for each warehouse, and is unique for each of its rows.
 */
import { z } from 'zod'

const lines = z.array(z.object({ sku: z.string(), quantity: z.int() }))
const row = z.object({
  warehouse_code: z.string(),
  sku: z.string(),
  version: z.int(),
  quantity: z.int(),
})
const orderOnly = z.object({ order: z.string() })
const orderWithLines = orderOnly.extend({ lines })
const event = z.object({
  event_id: z.string(),
  type: z.string(),
  /** The warehouse of a change of stock, or the number of an order. */
  subject: z.string(),
  /** The version of a change of stock; 0 for other events. */
  version: z.int(),
})

/** What a client sends: the shape of its input, and of its output if it ends with `ok`. */
export const clientOperations = {
  'order.submit': { input: orderWithLines, output: z.unknown() },
  'order.void': { input: orderOnly, output: z.unknown() },
  'order.read': {
    input: orderOnly,
    output: z.object({ status: z.enum(['absent', 'draft', 'confirmed', 'cancelled']) }),
  },
  /** Holds stock for an order, such as a preview does. */
  'hold.place': { input: orderWithLines, output: z.unknown() },
  'hold.release': { input: orderOnly, output: z.unknown() },
  /** The ERP's stock moves without an order. */
  'erp.move': { input: z.object({ sku: z.string(), quantity: z.int() }), output: z.unknown() },
  /** A transaction over stock figures: the rows that it read and wrote, each with its version. */
  'stock.write': {
    input: z.object({ reads: z.array(row).optional(), writes: z.array(row) }),
    output: z.unknown(),
  },
  'stock.read': { input: z.unknown(), output: z.object({ rows: z.array(row) }) },
} as const

/** What somebody observed. The shape is that of the output. */
export const observations = {
  'erp.opening': z.object({ sku: z.string(), quantity: z.int() }),
  /** A document of the ERP's books, read at the end. */
  'erp.order': z.object({
    order: z.string(),
    document: z.string(),
    status: z.enum(['live', 'cancelled']),
    lines,
  }),
  /** The units of a SKU that are neither sold nor held, in all warehouses together, read at the end. */
  'erp.stock': z.object({ sku: z.string(), available: z.int() }),
  /** Says that every document of the ERP was observed: what was not is not there. */
  'erp.books': z.object({ documents: z.int() }),
  /** The state of a client's copy of a warehouse at a version, as a digest of all rows. */
  'stock.copy': z.object({ warehouse_code: z.string(), version: z.int(), state: z.string() }),
  /** An event of the feed of events, read at the end from the beginning, in the order of the feed. */
  'event.committed': event,
  /** The feed was read when it had to have an event about the newest version of this warehouse that was recorded. */
  'stock.announced': z.object({ warehouse_code: z.string() }),
  /** The database was replaced by an older one. */
  'database.restored': z.object({}),
  /** An event that a restored database has lost: an inbox may have it, and the feed never has it again. */
  'event.lost': event,
  /** An event that reached an inbox, whose name is the client's. `ordered` inboxes read the feed. */
  'event.received': event.extend({ ordered: z.boolean() }),
  /** An inbox that subscribes to all events, so that one without a single event is not overlooked. */
  'inbox.opened': z.object({}),
  /**
   * A clock has jumped, or all have, or so much time has passed that holds expire: one that nobody released may end from
   * here on, and none did before the first.
   */
  'time.jumped': z.object({}),
  /** The last line of every history. It says that the file is whole. */
  'history.end': z.object({ entries: z.int() }),
} as const

export type ClientOperation = keyof typeof clientOperations
export type Observation = keyof typeof observations
export type OperationInput<Name extends ClientOperation> = z.output<(typeof clientOperations)[Name]['input']>
export type OperationOutput<Name extends ClientOperation> = z.output<
  (typeof clientOperations)[Name]['output']
>
export type Observed<Name extends Observation> = z.output<(typeof observations)[Name]>

export type Lines = z.output<typeof lines>
export type StockRow = z.output<typeof row>

export const isClientOperation = (name: string): name is ClientOperation =>
  Object.hasOwn(clientOperations, name)
export const isObservation = (name: string): name is Observation => Object.hasOwn(observations, name)
