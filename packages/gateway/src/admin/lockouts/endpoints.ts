import { z } from 'zod'
import { listLockouts, lockout, unlock } from '../../access/lockouts.ts'
import { cursorPaging, toCursorPageSchema } from '../../contract/fields.ts'
import { endpoint, toDataSchema } from '../../endpoint.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'

const translations = { zh, ko }

const fields = {
  lockout_id: 'Id of the lock',
  kind: '`account`: a username is locked. Addresses are counted by each process alone and are not listed',
  username_hint: 'The start and the end of the username, at most half of it',
  address: 'Always null as long as only usernames are listed',
  failures: 'Number of failed sign-ins that led to the lock',
  last_failed_at: 'When the last failed sign-in was',
  locked_until: 'When the lock ends by itself',
}

export const lockoutsList = endpoint({
  id: 'admin.lockouts.list',
  group: 'admin',
  summary: 'List locked usernames',
  description:
    'Usernames that are locked after five wrong passwords, the newest lock first. Unknown names are locked like known ones. Locks of addresses are not listed.',
  fields,
  translations,
  method: 'GET',
  path: '/admin/api/lockouts',
  access: 'admin',
  polled: true,
  errors: [],
  params: {},
  query: cursorPaging,
  result: toCursorPageSchema(lockout),

  handle({ gateway, input }) {
    return listLockouts(gateway, input)
  },
})

export const lockoutsDelete = endpoint({
  id: 'admin.lockouts.delete',
  group: 'admin',
  summary: 'Unlock a username',
  description:
    'Removes the lock and forgets the failures, for every process at once. Returns the lock as it was. An address that is locked stays locked.',
  fields,
  translations,
  method: 'DELETE',
  path: '/admin/api/lockouts/{lockout_id}',
  access: 'admin',
  errors: ['NOT_FOUND'],
  params: { lockout_id: z.string() },
  query: {},
  result: toDataSchema(lockout),

  async handle({ gateway, call, input }) {
    return { data: await unlock({ gateway, call }, input.lockout_id) }
  },
})

/** The endpoints, in the order of the documentation. */
export const endpoints = [lockoutsList, lockoutsDelete] as const
