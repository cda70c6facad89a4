/**
 * Works in a sandbox as staff do, until it is stopped: counts stock, changes prices, dates payments back, and ships the
 * order that the conformance suite watches. The suite checks only while something changes whether hints miss a change.
 *
 *   node packages/connector-tryton/tests/staff.ts --port 18000
 */
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { watchedOrderNumber } from '@trade-gateway/connector/conformance'
import { z } from 'zod'
import { Seeder } from '../src/tryton/seeder.ts'
import { openAdminSession } from '../src/tryton/trytond.ts'
import { ids, toDecimal } from '../src/values.ts'
import { bookBack } from './book-back.ts'

const everyMs = 700
/** A payment is booked in every so many rounds. */
const roundsPerPayment = 3
const maxRounds = 5_000
const goods = ['ST0011', 'ST0012', 'ST0013'] as const

const { values } = parseArgs({ options: { port: { type: 'string', default: '18000' } } })
const staff = new Seeder(await openAdminSession({ port: Number(values.port) }))
const company = await staff.findOne('company.company', [])
process.once('SIGTERM', () => process.exit(0))

async function shipWatched(): Promise<void> {
  const watched = [
    ['reference', '=', watchedOrderNumber],
    ['state', '=', 'processing'],
  ]
  const row = z.object({ shipments: ids })
  const sales = await staff.rpc.searchRead('sale.sale', watched, row, { fields: ['shipments'] })
  const shipments = await staff.rpc.search('stock.shipment.out', [
    ['id', 'in', sales.flatMap((sale) => sale.shipments)],
    ['state', '=', 'assigned'],
  ])
  if (shipments.length === 0) return
  for (const button of ['pick', 'pack', 'done']) await staff.press('stock.shipment.out', button, shipments)
}

for (let round = 0; round < maxRounds; round++) {
  const code = goods[round % goods.length] ?? goods[0]
  const product = await staff.findOne('product.product', [['code', '=', `${code}-M`]])
  for (const zone of ['AUSYD1-STORAGE', 'CHNZJ1-STORAGE']) {
    const location = await staff.findOne('stock.location', [['code', '=', zone]])
    const lines = [['create', [{ product, quantity: 100 + (round % 50) }]]]
    const inventory = await staff.createOne('stock.inventory', {
      location,
      company,
      empty_quantity: 'keep',
      lines,
    })
    await staff.press('stock.inventory', 'confirm', [inventory])
  }
  const template = await staff.findOne('product.template', [['code', '=', code]])
  await staff.write('product.template', [template], { list_price: toDecimal(`${30 + (round % 9)}.00`) })
  if (round % roundsPerPayment === 0) await bookBack(staff, '2021-03-05', '1.00')
  await shipWatched()
  await pause(everyMs)
}
