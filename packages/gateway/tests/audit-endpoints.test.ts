/** The operator reads, exports and verifies the audit log over HTTP. */

import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { auditColumns } from '../src/audit/export.ts'
import { adminToken, call, type LooseJson, openTestGateway, type TestGateway, testStart } from './harness.ts'

const audit = '/admin/api/audit'
const channels = '/admin/api/channels'
const minute = 60_000
/** More than one batch of an export. */
const manyRows = 1_100
let house: TestGateway

beforeAll(async () => {
  house = await openTestGateway({ unfilled: true })
  for (const [actor, code] of [
    ['Kim', 'first'],
    ['Ana', 'second'],
    ['Kim', 'first-branch'],
  ] as const) {
    house.clock.advance(minute)
    await send('POST', channels, { channel_code: code, name: `=${code}`, plan: 'reader' }, actor)
    // Two rows of the same millisecond have no order of their own.
    house.clock.advance(1)
    await send('PATCH', `${channels}/${code}`, { plan: 'full' }, actor)
  }
  house.clock.advance(minute)
})
afterAll(() => house.close())

function send(method: string, path: string, body?: unknown, actor?: string) {
  const headers: Record<string, string> = actor === undefined ? {} : { 'x-admin-actor': actor }
  return call(house, method, path, { admin: adminToken, headers, ...(body === undefined ? {} : { body }) })
}
const list = async (query: string): Promise<LooseJson[]> => (await send('GET', `${audit}?${query}`)).json.data
const atMinute = (minutes: number) => new Date(testStart + minutes * minute).toISOString()

describe('the list', () => {
  it('shows who did what, with the state before and after a change, newest first', async () => {
    const [changed, created] = await list('actor=Ana')
    expect(created).toMatchObject({
      number: 3,
      action: 'admin.channels.create',
      subject: `${channels}/second`,
      status: 201,
    })
    expect(created).toMatchObject({ before: null, after: { channel_code: 'second', plan: 'reader' } })
    expect(changed).toMatchObject({
      audit_id: expect.stringMatching(/^aud_/),
      number: 4,
      actor: 'Ana',
      action: 'admin.channels.change',
      subject: `${channels}/second`,
      status: 200,
      code: null,
      query: null,
      before: { plan: 'reader' },
      after: { plan: 'full' },
    })
    const { json } = await send('GET', `${audit}/${changed?.audit_id}`)
    expect(json.data).toEqual(changed)
  })

  it('is narrowed by name, endpoint, beginning of the path and time', async () => {
    const listNumbers = async (query: string) => (await list(query)).map(({ number }) => number)
    expect(await listNumbers('actor=Kim')).toEqual([6, 5, 2, 1])
    expect(await listNumbers('action=admin.channels.change')).toEqual([6, 4, 2])
    expect(await listNumbers(`subject=${channels}/first`)).toEqual([6, 5, 2, 1])
    expect(await listNumbers(`subject=${channels}/FIRST`)).toEqual([])
    expect(await listNumbers(`subject=${channels}/%25`), 'a pattern is plain text').toEqual([])
    expect(await listNumbers(`within=${channels}/first`), 'a channel').toEqual([2, 1])
    expect(await listNumbers(`within=${channels}/fir`), 'no beginning').toEqual([])
    expect(await listNumbers(`within=${channels}&actor=Ana`), 'a part of the API').toEqual([4, 3])
    expect(await listNumbers(`since=${atMinute(2)}&until=${atMinute(3)}`)).toEqual([4, 3])
    expect(await listNumbers(`actor=Kim&subject=${channels}/&until=${atMinute(3)}`)).toEqual([2, 1])
  })

  it('has pages that new rows do not shift', async () => {
    const numbers: number[] = []
    let cursor: string | null = null
    do {
      const more: string = cursor === null ? '' : `&cursor=${cursor}`
      const { json } = await send('GET', `${audit}?until=${atMinute(4)}&page_size=2${more}`)
      numbers.push(...json.data.map(({ number }: LooseJson) => number))
      expect(json.has_more).toBe(json.next_cursor !== null)
      cursor = json.next_cursor
    } while (cursor !== null)
    expect(numbers).toEqual([6, 5, 4, 3, 2, 1])
  })

  it.each([
    ['until', `since=${'2026-11-21T12:00:01.000Z'}&until=${'2026-11-21T12:00:00.000Z'}`],
    ['cursor', 'cursor=no-cursor'],
    ['page_size', 'page_size=0'],
    ['since', 'since=yesterday'],
    ['user', 'user=Kim'],
  ])('refuses a wrong %s', async (param, query) => {
    const { status, json } = await send('GET', `${audit}?${query}`)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(json.error).toMatchObject({ param })
  })

  it('itself leaves a row, which says whose data were read', async () => {
    await send('GET', `${channels}/first/tokens?page_size=7`, undefined, 'Ravi')
    const [read] = await list('actor=Ravi')
    expect(read).toMatchObject({
      action: 'admin.tokens.list',
      subject: `${channels}/first/tokens`,
      query: 'page_size=7',
      before: null,
      after: null,
    })
    house.clock.advance(minute)
    const failed = await send('GET', `${channels}/first?access_token=a-secret`, undefined, 'Ravi')
    expect(failed.status).toBeGreaterThanOrEqual(400)
    expect((await list('actor=Ravi'))[0], 'a query that is refused may be a secret').toMatchObject({
      query: null,
    })
  })

  it('has at most 500 characters of a path and of a query', async () => {
    await send('GET', `${channels}?page_size=7${'&'.repeat(500)}`, undefined, 'Long')
    house.clock.advance(1)
    const path = `${channels}/${'x'.repeat(500)}`
    await send('GET', path, undefined, 'Long')
    const [ofPath, ofQuery] = await list('actor=Long')
    expect(ofPath?.subject).toBe(path.slice(0, 500))
    expect(ofQuery?.query).toBe(`page_size=7${'&'.repeat(500)}`.slice(0, 500))
  })

  it('has no row of another id', async () => {
    const { json } = await send('GET', `${audit}/aud_none`)
    expect(json.error.code).toBe('NOT_FOUND')
  })
})

describe('the changes alone', () => {
  const isChange = ({ before, after }: LooseJson) => before !== null || after !== null

  it('are listed and exported without reads, refusals and calls that changed nothing', async () => {
    await send('GET', `${channels}?page_size=1&x=%22after%22%3A`, undefined, 'Mixed')
    await send('GET', `${channels}/%22after%22:`, undefined, 'Mixed')
    await send('PATCH', `${channels}/none`, { plan: 'full' }, 'Mixed')
    await send('PATCH', `${channels}/first`, { plan: 'reader' }, 'Mixed')
    house.clock.advance(minute)
    const all = await list('actor=Mixed')
    expect(all).toHaveLength(4)
    const changes = await list('actor=Mixed&changes=true')
    expect(changes).toEqual(all.filter(isChange))
    expect(changes).toMatchObject([{ action: 'admin.channels.change', after: { plan: 'reader' } }])
    const { text } = await send('GET', `${audit}/export?actor=Mixed&changes=true`)
    expect(JSON.parse(text)).toEqual(changes[0])
    expect(await list('actor=Mixed&changes=false')).toEqual(all)
  })
})

describe('a read that a page repeats', () => {
  const read = (path: string, actor: string) => send('GET', path, undefined, actor)

  it('has one row an hour for each operator and each query', async () => {
    for (let time = 0; time < 3; time++) await read('/admin/api/overview', 'Lee')
    await read('/admin/api/overview', 'Mia')
    // Two rows of the same millisecond have no order of their own.
    house.clock.advance(1)
    await read('/admin/api/overview?hours=2', 'Lee')
    const listQueries = async (actor: string) => (await list(`actor=${actor}`)).map(({ query }) => query)
    expect(await listQueries('Lee')).toEqual(['hours=2', null])
    expect(await listQueries('Mia')).toEqual([null])
    house.clock.advance(60 * minute)
    await read('/admin/api/overview', 'Lee')
    expect(await listQueries('Lee')).toEqual([null, 'hours=2', null])
  })

  it('has its next row exactly an hour later', async () => {
    for (const [pause, rows] of [
      [0, 1],
      [60 * minute - 1, 1],
      [1, 2],
    ] as const) {
      house.clock.advance(pause)
      await read('/admin/api/overview', 'Pia')
      expect(await list('actor=Pia')).toHaveLength(rows)
    }
  })

  it('is no read of one order, of which each has its row', async () => {
    const path = '/admin/api/orders/none'
    for (let time = 0; time < 2; time++) await read(path, 'Noa')
    expect(await list('actor=Noa')).toHaveLength(2)
  })

  it('is each recorded if the row could not be stored', async () => {
    const { db } = house.gateway.store
    await sql`alter table admin_audit rename to admin_audit_away`.execute(db)
    await read('/admin/api/overview', 'Oda')
    await sql`alter table admin_audit_away rename to admin_audit`.execute(db)
    await read('/admin/api/overview', 'Oda')
    expect(await list('actor=Oda')).toHaveLength(1)
  })
})

describe('the plan of a search', () => {
  /** Reads how the database would find the rows of a list. */
  async function explain(condition: string): Promise<string> {
    const { db, kind } = house.gateway.store
    const rest = `from admin_audit where ${condition} order by at desc, audit_id desc limit 51`
    const query = sql.raw(`${kind === 'sqlite' ? 'explain query plan' : 'explain'} select * ${rest}`)
    // A small table is scanned whatever indexes it has, unless that is forbidden.
    return db.connection().execute(async (session) => {
      if (kind === 'postgres') await sql`set enable_seqscan = off`.execute(session)
      const { rows } = await query.execute(session)
      if (kind === 'postgres') await sql`reset enable_seqscan`.execute(session)
      return JSON.stringify(rows)
    })
  }

  it('uses the index of changes, and that of subjects', async () => {
    expect(await explain(`detail like '%"after":%'`)).toContain('admin_audit_changes')
    const beginning = `subject >= '/nowhere' and subject < '/nowhere\u{10ffff}'`
    expect(await explain(beginning)).toContain('admin_audit_by_subject')
  })
})

describe('the export', () => {
  it('is one JSON object a line, oldest first, of all rows that fit', async () => {
    const { text, headers } = await send('GET', `${audit}/export?actor=Kim`)
    expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8')
    const rows: LooseJson[] = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(rows).toEqual((await list('actor=Kim')).toReversed())
  })

  it('is CSV on request, in which no text is a formula', async () => {
    const { text, headers } = await call(house, 'GET', `${audit}/export?subject=${channels}/second`, {
      admin: adminToken,
      headers: { accept: 'text/csv' },
    })
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const [head, created, changed, ...rest] = text.split('\r\n')
    expect(head).toBe(auditColumns.join(','))
    expect(created).toContain(`${channels}/second,201`)
    expect(changed).toContain('"{""channel_code"":""second""')
    expect(rest).toEqual([''])
    await send('GET', channels, undefined, '=1+1')
    house.clock.advance(minute)
    const again = await call(house, 'GET', `${audit}/export?actor=%3D1%2B1`, {
      admin: adminToken,
      headers: { accept: 'text/csv' },
    })
    expect(again.text).toContain(`,'=1+1,`)
  })

  it('ends with the rows from before the call, although the call itself leaves a row first', async () => {
    const { clock } = house
    const began = clock.now()
    clock.set(began + minute)
    const { text } = await send(
      'GET',
      `${audit}/export?actor=Kim&action=admin.audit.export`,
      undefined,
      'Kim',
    )
    expect(text).toBe('')
  })

  it('refuses a reversed period before it begins', async () => {
    const { status, json } = await send('GET', `${audit}/export?since=${atMinute(3)}&until=${atMinute(2)}`)
    expect(status).toBe(422)
    expect(json.error.param).toBe('until')
  })

  it('has every row once, also of many that ended in the same millisecond', async () => {
    const reads = Array.from({ length: manyRows }, () => send('GET', `${channels}/first`, undefined, 'Crowd'))
    await Promise.all(reads)
    house.clock.advance(minute)
    const { text } = await send('GET', `${audit}/export?actor=Crowd`)
    const ids: string[] = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).audit_id)
    expect([ids.length, new Set(ids).size]).toEqual([manyRows, manyRows])
  })
})

describe('the verification', () => {
  const verify = async (body?: unknown) => (await send('POST', `${audit}/verification`, body)).json.data

  it('says that the log is intact, and how many rows it has', async () => {
    const { rows, ...verified } = await verify()
    expect(verified).toEqual({ ok: true, first_problem: null, next_cursor: null })
    const [newest] = await list('action=admin.audit.verify')
    expect(rows, 'the rows before its own').toBe(newest?.number - 1)
  })

  it('compares the log with an end that the operator kept', async () => {
    const [row] = await list('actor=Ana')
    expect((await verify({ noted: { number: row?.number, mac: row?.mac } })).ok).toBe(true)
    const other = await verify({ noted: { number: row?.number, mac: 'A'.repeat(43) } })
    expect(other).toMatchObject({ ok: false, first_problem: { kind: 'replaced', number: row?.number } })
    const later = await verify({ noted: { number: 1_000_000, mac: row?.mac } })
    expect(later).toMatchObject({ ok: false, first_problem: { kind: 'cut_off' } })
  })

  it('names the first row that was changed', async () => {
    const [row] = await list('actor=Ana')
    const { db } = house.gateway.store
    await sql`update admin_audit set actor = 'Eve' where audit_id = ${row?.audit_id}`.execute(db)
    expect(await verify()).toMatchObject({
      ok: false,
      first_problem: { kind: 'changed', number: row?.number, audit_id: row?.audit_id, at: row?.at },
    })
    await sql`update admin_audit set actor = 'Ana' where audit_id = ${row?.audit_id}`.execute(db)
    expect((await verify()).ok).toBe(true)
  })

  it('refuses a cursor that no part had', async () => {
    const { status, json } = await send('POST', `${audit}/verification`, { cursor: 'no-cursor' })
    expect(status).toBe(422)
    expect(json.error.param).toBe('cursor')
  })
})
