import { describe, expect, it } from 'vitest'
import { readOptions, UsageError } from '../src/order-replay/options.ts'

describe('the options of a replay', () => {
  it('are those of the sandbox ERP without --erp', () => {
    expect(readOptions([])).toMatchObject({ erp: 'sandbox', erp_class: 'dedupe', concurrency: 16 })
    expect(readOptions(['--class', 'settle'])).toMatchObject({ erp_class: 'settle' })
  })

  it('place fewer orders at once in Tryton, unless told otherwise', () => {
    expect(readOptions(['--erp', 'tryton'])).toMatchObject({
      erp: 'tryton',
      erp_class: 'dedupe',
      concurrency: 4,
    })
    expect(readOptions(['--erp', 'tryton', '--concurrency', '2'])).toMatchObject({ concurrency: 2 })
  })

  it.each([
    [['--erp', 'odoo'], /--erp must be one of sandbox, tryton, medusa, not "odoo"/],
    [['--erp', 'medusa', '--class', 'settle'], /--class settle is a setting of the sandbox ERP/],
    [['--erp', 'tryton', '--class', 'dedupe'], /--class dedupe is a setting of the sandbox ERP/],
    [['--class', 'best'], /--class must be one of .*, not "best"/],
  ])('are refused where they make no sense: %j', (args, message) => {
    expect(() => readOptions(args)).toThrow(UsageError)
    expect(() => readOptions(args)).toThrow(message)
  })
})
