import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UsageError } from '@trade-gateway/connector-kit/command-line'
import { afterAll, describe, expect, it } from 'vitest'
import { readOptions } from '../src/order-replay/options.ts'

const directory = mkdtempSync(join(tmpdir(), 'replay-options-'))
afterAll(() => rmSync(directory, { recursive: true }))
const orders = join(directory, 'orders.csv')
writeFileSync(orders, '')

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
    [['--report', ''], /--report must be the name of a file, not ""/],
    [['--report', tmpdir()], /--report cannot write ".*": it is a folder/],
    [['--history', '/missing/h'], /--history cannot write "\/missing\/h": there is no folder "\/missing"/],
    [
      ['--report', '/tmp/same', '--history', '/tmp/./same'],
      /--report and --history cannot both write "\/tmp\/.\/same"/,
    ],
    [[orders, '--history', orders], /--history cannot replace ".*orders\.csv", which the command reads/],
    [[orders, '--report', `${directory}/./orders.csv`], /--report cannot replace/],
    [[''], /The file of orders must have a name, not ""/],
    [['--seed', '-1'], /^--seed must be a whole number from 0 to 2147483648, not "-1"\.$/],
    [['--class', 'best'], /--class must be one of .*, not "best"/],
  ])('are refused where they make no sense: %j', (args, message) => {
    expect(() => readOptions(args)).toThrow(UsageError)
    expect(() => readOptions(args)).toThrow(message)
  })
})
