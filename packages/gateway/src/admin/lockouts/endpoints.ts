import { z } from 'zod'
import { listLockouts, lockout, unlock } from '../../access/lockouts.ts'
import { cursorPaging, toCursorPageSchema } from '../../contract/fields.ts'
import { endpoint, toDataSchema } from '../../endpoint.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'

const translations = { zh, ko }

const fields = {
  lockout_id: 'Id of the lock',
  kind: '`account`: a username is locked. `address`: an IP address is locked. Each process counts the failures of an address alone, so the address may be locked at some processes only',
  username_hint: 'The start and the end of the username, at most half of it; null for an address',
  address: 'The IPv4 address, or the /64 of IPv6; null for a username',
  failures: 'Number of failed sign-ins that led to the lock',
  last_failed_at: 'When the last failed sign-in was',
  locked_until: 'When the lock ends by itself',
}

export const lockoutsList = endpoint({
  id: 'admin.lockouts.list',
  group: 'admin',
  summary: 'List locked usernames and addresses',
  description:
    'Usernames that are locked after five wrong passwords, and addresses that are locked after 100 failed sign-ins in an hour; the lock that ends last first. Unknown names are locked like known ones.',
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
  summary: 'Unlock a username or an address',
  description:
    'Removes the lock and forgets the failures. A username is free in every process at once, an address within a second. Returns the lock as it was.',
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
