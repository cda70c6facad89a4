/** What staff deactivate in Tryton is no longer served: the gateway learns of it, and sells it no more. */
import { unwrap } from '@trade-gateway/connector'
import { beforeAll, expect, it } from 'vitest'
import { systemEnvironment } from '../src/environment.ts'
import { hintLagMs } from '../src/hints.ts'
import { customerPassword, customers } from '../src/tryton/settings.ts'
import { describeLive, type Live, openLive, toSubmit, warehouse_code } from './live.ts'

/** A style for each test: the one before has written its own twice. */
const styles = ['ST0044', 'ST0045'] as const
const toSku = (style: string) => `${style}-S`

/** How long the connector takes a session for open that it has found open. */
const maxSessionAgeMs = 10_000

type Records = readonly [model: string, ids: readonly number[]]

/** Deactivates records while `work` runs. */
async function withDeactivated({ staff }: Live, records: readonly Records[], work: () => Promise<void>) {
  for (const [model, ids] of records) await staff.write(model, ids, { active: false })
  try {
    await work()
  } finally {
    for (const [model, ids] of records.toReversed()) await staff.write(model, ids, { active: true })
  }
}

describeLive('What staff deactivate', () => {
  let live: Live
  let pollHints: () => Promise<readonly string[]>

  /** Starts both feeds of hints. The returned function polls them on, and returns the keys that they hint by name. */
  const followHints = async () => {
    const read = async (stockCursor: string | null, styleCursor: string | null) => ({
      stock: unwrap(await live.erp['stock.changed']({ warehouse_code, cursor: stockCursor })),
      styles: unwrap(await live.erp['products.changed']({ cursor: styleCursor })),
    })
    let last = await read(null, null)
    return async () => {
      last = await read(last.stock.cursor, last.styles.cursor)
      return [...last.stock.skus, ...last.styles.product_codes]
    }
  }

  beforeAll(async () => {
    live = await openLive()
    pollHints = await followHints()
    // A new feed also hints what was written before it: everything, if another test has changed a price list. Once it has
    // hinted all of that, what it hints was written here.
    const end = performance.now() + hintLagMs
    while (performance.now() < end) {
      await systemEnvironment.pause(1_000)
      await pollHints()
    }
  })

  /** Polls both feeds until they have hinted the keys. What was hinted before the call does not count. */
  const expectHinted = async (keys: readonly string[]) => {
    const hinted = new Set<string>()
    const poll = async () => {
      for (const key of await pollHints()) hinted.add(key)
      return [...hinted]
    }
    await expect.poll(poll, { timeout: hintLagMs }).toEqual(expect.arrayContaining([...keys]))
  }

  it('is hinted and not read any more: a product', async () => {
    const [style] = styles
    const sku = toSku(style)
    const product = await live.staff.findOne('product.product', [['code', '=', sku]])
    await withDeactivated(live, [['product.product', [product]]], async () => {
      await expectHinted([sku, style])
      expect(unwrap(await live.erp['stock.read']({ warehouse_code, skus: [sku] })).rows).toEqual([])
      const { products } = unwrap(await live.erp['products.read']({ product_codes: [style] }))
      expect(products[0]?.skus.map((each) => each.sku)).not.toContain(sku)
    })
  })

  it('is hinted and not read any more: a style with its products', async () => {
    const [, style] = styles
    const sku = toSku(style)
    const template = await live.staff.findOne('product.template', [['code', '=', style]])
    const products = await live.staff.rpc.search('product.product', [['template', '=', template]])
    const records: Records[] = [
      ['product.product', products],
      ['product.template', [template]],
    ]
    await withDeactivated(live, records, async () => {
      await expectHinted([sku, style])
      expect(unwrap(await live.erp['products.read']({ product_codes: [style] })).products).toEqual([])
      expect(unwrap(await live.erp['stock.read']({ warehouse_code, skus: [sku] })).rows).toEqual([])
    })
  })

  it('neither signs in nor orders any more, also in an open session: a customer', async () => {
    const clock = { isLater: false }
    const elapsed = () => systemEnvironment.elapsed() + (clock.isLater ? maxSessionAgeMs : 0)
    const later = await openLive({ environment: { ...systemEnvironment, elapsed } })
    const [{ code, username }] = customers
    const party = await live.staff.findOne('party.party', [['code', '=', code]])
    await withDeactivated(live, [['party.party', [party]]], async () => {
      clock.isLater = true
      const input = toSubmit(later, toSku('ST0046'), 1)
      expect(await later.erp.submit(input)).toMatchObject({ rejected: { reason: 'session_expired' } })
      const credentials = { username, password: customerPassword }
      expect(await later.erp.sign_in(credentials)).toMatchObject({ rejected: { reason: 'bad_credentials' } })
    })
  })
})
