/** Many callers at once, on a real Medusa. */
import { unwrap } from '@trade-gateway/connector'
import { describe, expect, it } from 'vitest'
import { scarceSku } from '../src/medusa/seed-goods.ts'
import {
  createReference,
  isConfigured,
  limits,
  openConnector,
  readAvailable,
  reportLeftOut,
  signIn,
  soon,
} from './live.ts'

const warehouse = 'AUSYD2'
const callers = 40
const maxTestMs = 300_000

if (!isConfigured) reportLeftOut('races.test.ts')

describe.skipIf(!isConfigured)('callers at once', () => {
  it(
    `hold as many units as there are, and not one more, when ${callers} hold one each`,
    async () => {
      const erp = await openConnector()
      const request = await signIn(erp, warehouse)
      const before = await readAvailable(erp, warehouse, scarceSku)
      expect(before).toBeGreaterThan(0)
      expect(before).toBeLessThan(callers)
      const references = Array.from({ length: callers }, createReference)
      const results = await Promise.all(
        references.map((reference) =>
          erp.hold({
            ...request,
            delivery: null,
            order_type: 'reservation',
            lines: [{ sku: scarceSku, quantity: 1 }],
            reference,
            replaces: null,
            expires_at: soon(),
          }),
        ),
      )
      const held = results.map(unwrap).filter(({ document }) => document?.status === 'held')
      const after = await readAvailable(erp, warehouse, scarceSku)
      for (const { document } of held)
        if (document) unwrap(await erp.release({ reference: document.reference, reason: 'release' }))
      expect(held).toHaveLength(before)
      expect(after).toBe(0)
      expect(await readAvailable(erp, warehouse, scarceSku)).toBe(before)
    },
    maxTestMs,
  )

  it(
    'that send one reference get one document',
    async () => {
      const erp = await openConnector()
      const request = await signIn(erp, warehouse)
      const before = await readAvailable(erp, warehouse, scarceSku)
      const lines = [{ sku: scarceSku, quantity: 2 }]
      const [held, ordered] = [createReference(), createReference()]
      const hold = { ...request, lines, reference: held, replaces: null, expires_at: soon() }
      const order = {
        ...request,
        ...limits,
        lines,
        reference: ordered,
        hold_reference: null,
        allow_partial: false,
      }
      const holds = (await Promise.all([erp.hold(hold), erp.hold(hold), erp.hold(hold)])).map(unwrap)
      const orders = (await Promise.all([erp.submit(order), erp.submit(order), erp.submit(order)])).map(
        unwrap,
      )
      expect(new Set(holds.map(({ document }) => document?.number)).size).toBe(1)
      expect(new Set(orders.map(({ document }) => document.number)).size).toBe(1)
      expect(await readAvailable(erp, warehouse, scarceSku)).toBe(before - 4)
      unwrap(await erp.release({ reference: held, reason: 'release' }))
      unwrap(await erp.void({ reference: ordered }))
      expect(await readAvailable(erp, warehouse, scarceSku)).toBe(before)
    },
    maxTestMs,
  )
})
