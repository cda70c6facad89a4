import { z } from 'zod'
import { instantField } from '../../contract/fields.ts'
import { endpoint, toDataSchema } from '../../endpoint.ts'
import { copyDatabase } from './copy.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'
import { listLostDocuments } from './lost-documents.ts'

const translations = { zh, ko }

export const backupsCreate = endpoint({
  id: 'admin.backups.create',
  group: 'admin',
  summary: 'Copy the embedded database',
  description:
    'Copies the embedded database into a new file of `DATA_DIR` while the gateway goes on serving. `npm run backup` calls this, completes and checks the copy, and moves it away; a copy that nobody moved away is replaced by the next one. A PostgreSQL database is refused: `npm run backup` reads it with `pg_dump`.',
  fields: {
    file: 'The name of the copy in `DATA_DIR`',
    bytes: 'The size of the copy without its logs',
    sha256: 'The SHA-256 of what was read from the database’s file, in hex',
    logs: 'The number of files `…-log-0` and so on beside the copy. Applied to it in this order, they complete it',
    taken_at: 'The time at which the copy began',
  },
  translations,
  method: 'POST',
  path: '/admin/api/backups',
  access: 'admin',
  errors: [],
  params: {},
  query: {},
  body: z.object({}),
  optionalBody: true,
  example: {},
  result: toDataSchema(
    z.object({
      file: z.string(),
      taken_at: instantField,
      bytes: z.int(),
      sha256: z.string(),
      logs: z.int(),
    }),
  ),
  status: 201,

  async handle({ gateway }) {
    return { data: await copyDatabase(gateway) }
  },
})

const lostDocument = z
  .object({
    reference: z.string(),
    number: z.string(),
    kind: z.enum(['order', 'hold']),
    order_type: z.string(),
    status: z.string(),
    lines: z.array(z.object({ sku: z.string(), quantity: z.int() })),
    total: z.number().nullable(),
    currency: z.string(),
    submitted_at: instantField.nullable(),
    found_at: instantField,
  })
  .meta({ id: 'LostDocument' })

export const lostDocumentsList = endpoint({
  id: 'admin.lost_documents.list',
  group: 'admin',
  summary: 'List documents that a restore lost',
  description:
    'Orders and live holds that the ERP has from the time between a backup and its restore, and that the gateway does not have: the newest 500. An order leaves the list when its channel repeats the call that placed it, or asks for it by its id. What stays must be compared with the channel by a person. An ERP without hints of changed documents finds none.',
  fields: {
    reference: 'The reference under which the ERP has the document',
    number: 'The ERP’s own number',
    kind: '`order`, or `hold` for stock that is still held',
    order_type: '`wholesale`, `dropship` or `reservation`',
    status: 'The state at the ERP',
    total: 'The total that the ERP charges; null for a hold without a price',
    submitted_at: 'When the order was placed, by the ERP’s clock; null for a hold',
    found_at: 'When the gateway found the document',
  },
  translations,
  method: 'GET',
  path: '/admin/api/lost-documents',
  access: 'admin',
  errors: [],
  params: {},
  query: {},
  result: toDataSchema(z.array(lostDocument)),

  async handle({ gateway }) {
    return { data: await listLostDocuments(gateway) }
  },
})

/** The endpoints, in the order of the documentation. */
export const endpoints = [backupsCreate, lostDocumentsList] as const
