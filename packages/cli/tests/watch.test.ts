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

describe('tgw stock watch of a gateway that is away for some time', () => {
  it('goes on, and names the version to continue from when it is ended', async () => {
    let asked = 0
    const told = Promise.withResolvers<void>()
    const away = await openFakeGateway(() => {
      asked += 1
      // More than the retries of one call.
      if (asked <= 5) return undefined
      if (asked > 6) told.resolve()
      const row = {
        sku: 'A-1\u001b[2J',
        version: 8,
        quantity_available: 1,
        price_wholesale: 2,
        currency: 'AUD',
      }
      return { data: asked === 6 ? [row] : [], version: 8, latest: 8, since: 7, has_more: false }
    })
    const watch = ['stock', 'watch', 'AUSYD1', '--since', '7', '--interval', '1s']
    const { code, out, err } = await runInProcess(watch, { env: away.env, interruption: told.promise })
    expect(code, err).toBe(130)
    expect(out).toContain('A-1')
    expect(out).not.toContain('\u001b')
    expect(err).toContain('Continue with: tgw stock watch AUSYD1 --since 8')
    await away.close()
  }, 60_000)

  it('ends if it is away for longer than --give-up', async () => {
    const away = await openFakeGateway(() => undefined)
    const watch = ['stock', 'watch', 'AUSYD1', '--since', '7', '--give-up', '1s']
    const { code, err } = await runInProcess(watch, { env: away.env })
    expect(code, err).toBe(7)
    expect(err).toContain('Continue with: tgw stock watch AUSYD1 --since 7')
    await away.close()
  }, 60_000)
})
