import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FakeGateway, openFakeGateway } from './fake-gateway.ts'
import { runInProcess } from './run-in-process.ts'

let gateway: FakeGateway
beforeEach(async () => {
  gateway = await openFakeGateway(() => ({
    data: [],
    version: 9,
    latest: 9,
    since: 7,
    pending: 0,
    has_more: false,
    needs_full_sync: true,
    full_sync_reason: 'other_epoch',
  }))
})
afterEach(() => gateway.close())

describe('tgw stock watch of a gateway that was restored', () => {
  const watch = ['stock', 'watch', 'AUSYD1', '--since', '7']

  it('ends with 5, and says that all stock has to be read again', async () => {
    const { code, err } = await runInProcess(watch, { env: gateway.env })
    expect(code, err).toBe(5)
    expect(err).toContain('cannot be followed from version 7 (other_epoch)')
    expect(err).toContain('→ Run `tgw stock pull WAREHOUSE`.')
  })

  it('tells a program the code and the reason', async () => {
    const { err } = await runInProcess([...watch, '--json', '--quiet'], { env: gateway.env })
    const error = { code: 'FULL_SYNC_REQUIRED', reason: 'other_epoch' }
    expect(JSON.parse(err)).toMatchObject({ error, exit_code: 5 })
  })
})
