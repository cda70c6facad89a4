import { describe, expect, it } from 'vitest'
import type { Log } from '../kernel/log.ts'
import { findStorageTrouble, StorageState } from './trouble.ts'

const createError = (more: object, message = 'It failed.') => Object.assign(new Error(message), more)

describe('a trouble of the storage', () => {
  it.each([
    ['SQLITE_FULL', createError({ code: 'ERR_SQLITE_ERROR', errcode: 13 })],
    ['no space on the device', createError({ code: 'ENOSPC' })],
    ['disk_full of PostgreSQL', createError({ code: '53100' })],
    ['a full disk as the cause', createError({ cause: createError({ code: '53100' }) })],
  ])('is a full disk: %s', (_name, error) => {
    expect(findStorageTrouble(error)).toBe('storage_full')
  })

  it.each([
    ['an extended code of SQLITE_IOERR', createError({ code: 'ERR_SQLITE_ERROR', errcode: 778 })],
    ['connection_failure', createError({ code: '08006' })],
    ['PgBouncer without a server', createError({ code: '08P01' }, 'query_wait_timeout')],
    ['admin_shutdown', createError({ code: '57P01' })],
    ['a refused connection', createError({ code: 'ECONNREFUSED' })],
    ['silence', createError({}, 'Query read timeout')],
    ['a connection that nobody accepted', createError({}, 'timeout expired')],
    ['a pool that waited in vain', createError({}, 'timeout exceeded when trying to connect')],
  ])('is a database that does not respond: %s', (_name, error) => {
    expect(findStorageTrouble(error)).toBe('storage_unavailable')
  })

  it.each([
    ['a unique violation', createError({ code: '23505' })],
    ['a constraint of SQLite', createError({ code: 'ERR_SQLITE_ERROR', errcode: 1555 })],
    [
      'a startup parameter that PgBouncer refuses',
      createError({ code: '08P01' }, 'unsupported startup parameter: options'),
    ],
    ['a fault of ours', new TypeError('undefined is not a function')],
    ['no error at all', 'full'],
  ])('is not %s', (_name, error) => {
    expect(findStorageTrouble(error)).toBeUndefined()
  })
})

describe('the state of the storage', () => {
  const log: Log = { debug() {}, info() {}, warn() {}, error() {} }

  it('is trouble after silence, and not after a statement that the database itself cancelled', () => {
    const state = new StorageState(log, async () => {})
    state.note(createError({ code: '57014' }))
    expect([state.trouble, state.silences]).toEqual([undefined, 0])
    state.note(createError({}, 'Query read timeout'))
    expect([state.trouble, state.silences]).toEqual(['storage_unavailable', 1])
    state.close()
  })
})
