import { afterEach, describe, expect, it } from 'vitest'
import { type FakeGateway, openFakeGateway } from './fake-gateway.ts'
import { runInProcess } from './run-in-process.ts'

let gateway: FakeGateway
afterEach(() => gateway.close())

const begin = 'Without --from and --to, the list has the last 30 days and older'

describe.each([
  ['order', `${begin} drafts.`],
  ['dropship', `${begin} orders whose outcome is unknown.`],
])('tgw %s list', (kind, note) => {
  it('reads the period that is named', async () => {
    const queries: string[] = []
    gateway = await openFakeGateway(({ query }) => {
      queries.push([query.get('start_date'), query.get('end_date')].join(' '))
      return { data: [], has_more: false, next_cursor: null }
    })
    const run = (...more: string[]) => runInProcess([kind, 'list', '--all', ...more], { env: gateway.env })
    const named = await run('--from', '2026-10-01', '--to', '2026-10-31')
    expect(named).toMatchObject({ code: 0, err: 'There are none.\n' })
    expect(await run('--from', '2026-10-01')).toMatchObject({ code: 0 })
    expect((await run()).err).toBe(`There are none.\n${note}\n`)
    expect((await run('--number', 'PO-1')).err).toBe('There are none.\n')
    expect(queries).toEqual(['2026-10-01 2026-10-31', '2026-10-01 ', ' ', ' '])
    expect(await run('--to', 'October')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--to must be a day, and is "October".'),
    })
  })

  it('says which period all of its rows are of', async () => {
    gateway = await openFakeGateway(() => ({ data: [{ status: 'x' }], has_more: false, next_cursor: null }))
    const run = (...more: string[]) => runInProcess([kind, 'list', '--json', ...more], { env: gateway.env })
    expect(await run('--all')).toMatchObject({ code: 0, err: `${note}\n` })
    expect(await run()).toMatchObject({ code: 0, err: '' })
  })
})
