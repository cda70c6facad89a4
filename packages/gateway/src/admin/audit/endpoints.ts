import { z } from 'zod'
import { exportAudit } from '../../audit/export.ts'
import { auditRow, readAuditRow, searchAudit } from '../../audit/search.ts'
import { auditProblemKinds } from '../../audit/verify.ts'
import { prefersCsv } from '../../contract/accept.ts'
import {
  codeField,
  cursorPaging,
  flag,
  instantField,
  period,
  sorting,
  textField,
  toCursorPageSchema,
} from '../../contract/fields.ts'
import { endpoint, toDataSchema } from '../../endpoint.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'
import { verifyAuditPart } from './verification.ts'

const translations = { zh, ko }

const filters = {
  actor: textField(100).optional(),
  action: codeField(100).optional(),
  subject: textField(500).optional(),
  within: textField(500).optional(),
  changes: flag.optional(),
  ...period,
}

const filterTexts = {
  actor: 'Only calls of the operator with this name',
  action: 'Only calls of this endpoint, by its id',
  subject: 'Only calls whose path begins so',
  within: 'Only calls of this path and of those below it',
  changes: 'true: only calls that changed something',
  since: 'Only rows from this time on',
  until: 'Only rows before this time',
}

const mac = z.string().regex(/^[\w-]{43}$/)

const auditProblem = z
  .object({
    kind: z.enum(auditProblemKinds),
    number: z.int().nullable(),
    audit_id: z.string().nullable(),
    at: instantField.nullable(),
  })
  .meta({ id: 'AuditProblem' })

export const auditList = endpoint({
  id: 'admin.audit.list',
  group: 'admin',
  summary: 'Search the audit log',
  description:
    'Every call of the operator’s endpoints, newest first: who, what, the result, and the state before and after a change. Reads that a page repeats by itself have one row an hour. Every filter narrows the search.',
  fields: {
    ...filterTexts,
  },
  translations,
  method: 'GET',
  path: '/admin/api/audit',
  access: 'admin',
  errors: [],
  params: {},
  query: { ...filters, ...sorting, ...cursorPaging },
  result: toCursorPageSchema(auditRow),

  handle({ gateway, input }) {
    return searchAudit(gateway, input)
  },
})

export const auditExport = endpoint({
  id: 'admin.audit.export',
  group: 'admin',
  summary: 'Export the audit log',
  description:
    'All rows that fit the filters, oldest first: one JSON object a line, or CSV with `Accept: text/csv`. The response is a stream without an end of its own: a connection that breaks leaves it incomplete.',
  fields: filterTexts,
  translations,
  method: 'GET',
  path: '/admin/api/audit/export',
  access: 'admin',
  errors: [],
  params: {},
  query: filters,
  result: auditRow,
  streamed: ['application/x-ndjson', 'text/csv'],

  handle({ gateway, call, input }) {
    return exportAudit(gateway, input, prefersCsv(call.header('accept')))
  },
})

export const auditVerify = endpoint({
  id: 'admin.audit.verify',
  group: 'admin',
  summary: 'Verify the audit log',
  description:
    'Verifies that no row was changed, removed, inserted or cut off at the end. A call verifies up to 50,000 rows: repeat it with `next_cursor` until `next_cursor` is null. The end is compared with what this gateway noted outside the database.',
  fields: {
    cursor: '`next_cursor` of the previous part',
    noted: 'An end of the audit log that you have from a log line',
    number: 'rows of the log line',
    mac: 'subject of the log line',
    ok: 'Whether nothing was found in this part',
    rows: 'How many rows this part has',
    first_problem: 'What was found first; null if nothing was',
    next_cursor: 'The cursor of the next part; null if this was the last one',
  },
  translations,
  method: 'POST',
  path: '/admin/api/audit/verification',
  access: 'admin',
  errors: [],
  params: {},
  query: {},
  body: z.object({
    cursor: z.string().max(200).optional(),
    noted: z.object({ number: z.int().min(1), mac }).optional(),
  }),
  example: {},
  optionalBody: true,
  result: toDataSchema(
    z.object({
      ok: z.boolean(),
      rows: z.int(),
      first_problem: auditProblem.nullable(),
      next_cursor: z.string().nullable(),
    }),
  ),

  async handle({ gateway, input }) {
    return { data: await verifyAuditPart(gateway, input) }
  },
})

export const auditRead = endpoint({
  id: 'admin.audit.read',
  group: 'admin',
  summary: 'Read a row of the audit log',
  description: 'One call of the operator’s endpoints, with the state before and after a change.',
  translations,
  method: 'GET',
  path: '/admin/api/audit/{audit_id}',
  access: 'admin',
  errors: ['NOT_FOUND'],
  params: { audit_id: z.string() },
  query: {},
  result: toDataSchema(auditRow),

  async handle({ gateway, input }) {
    return { data: await readAuditRow(gateway, input.audit_id) }
  },
})

/** The endpoints, in the order of the documentation. */
export const endpoints = [auditList, auditRead, auditExport, auditVerify] as const
