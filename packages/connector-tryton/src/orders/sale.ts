/** Creates the sale of an order. Its reference is the `web_id`, of which Tryton has one at most. */
import { createHash } from 'node:crypto'
import type { Input } from '@trade-gateway/connector'
import { z } from 'zod'
import { id, toDecimal } from '../values.ts'
import { type Call, type Orders, saleModel, takeStep } from './context.ts'
import type { Offer } from './quote.ts'
import { formatOrdered, formatSaleText } from './references.ts'
import type { CheckedRequest } from './request.ts'

interface NewSale {
  readonly input: Input<'submit'>
  readonly checked: CheckedRequest
  readonly offer: Offer
}

/** Creates the sale as a draft. Returns its id. */
export async function createSale(
  orders: Orders,
  call: Call,
  { input, checked, offer }: NewSale,
): Promise<number> {
  const { rpc } = orders.connector
  const recipient = await createRecipient(orders, call, checked)
  const values = {
    ...offer.priced.header,
    ...recipient,
    // With the method `manual` an order would wait for somebody. How it is billed is Tryton's own default.
    shipment_method: 'order',
    shipment_cost_method: 'order',
    web_id: call.reference,
    reference: input.client_order_number,
    description: formatSaleText(input.hold_reference),
    comment: input.remark,
    lines: [['create', toLines(offer)]],
  }
  const [created] = await takeStep(orders, call, {
    name: 'sale.create',
    run: () => rpc.create(saleModel, [values]),
  })
  return id.parse(created)
}

/** A line with fewer units than were ordered says so in its note. Of one without units, only the note is kept. */
function toLines({ plan, priced }: Offer): object[] {
  return plan.lines.map(({ sku, quantity, allocated }, index) => {
    const note = formatOrdered(sku.code, sku.productCode, quantity)
    const line = priced.lines[index]
    if (!line || allocated === 0) return { type: 'comment', description: note, note }
    return {
      ...{ type: 'line', product: sku.id, unit: sku.unit, quantity: allocated },
      unit_price: toDecimal(line.unitPrice),
      taxes: [['add', line.taxes]],
      ...(allocated < quantity ? { note } : {}),
    }
  })
}

/** Distinguishes the recipients of one reference. */
const recipientHashCharacters = 16

/**
 * A recipient becomes a party of its own, which is not the customer, who is billed. Its code has the reference and what
 * the recipient says: a repeated request finds it, and one that was refused and corrected gets another.
 */
async function createRecipient(
  orders: Orders,
  call: Call,
  { customer, destination }: CheckedRequest,
): Promise<{ shipment_party?: number; shipment_address?: number }> {
  const recipient = destination?.recipient
  if (!recipient) return {}
  const { rpc } = orders.connector
  const hash = createHash('sha256').update(JSON.stringify(recipient)).digest('hex')
  const code = `TG-${call.reference}-${hash.slice(0, recipientHashCharacters)}`
  const [known] = await rpc.search('party.party', [['code', '=', code]])
  const { name, phone, address, country, country_code, city, postal_code, state } = recipient
  const subdivision = state === null ? null : await findSubdivision(orders, { country, country_code, state })
  // A state that Tryton does not take is left to the carrier to read.
  const street = state === null || subdivision !== null ? address : `${address}\n${state}`
  const values = {
    name,
    code,
    addresses: [
      [
        'create',
        [{ ...{ party_name: name, street, city, country, delivery: true }, postal_code, subdivision }],
      ],
    ],
    contact_mechanisms: [['create', [{ type: 'other', value: phone }]]],
  }
  const created =
    known === undefined
      ? await takeStep(orders, call, {
          name: 'recipient.create',
          run: () => rpc.create('party.party', [values]),
        })
      : [known]
  const party = id.parse(created[0])
  const [shipment_address] = await rpc.search('party.address', [['party', '=', party]])
  if (shipment_address === undefined) throw new Error(`The recipient of ${customer.code} has no address.`)
  return { shipment_party: party, shipment_address }
}

const typesRow = z.object({ types: z.array(z.string()).nullish() })

/**
 * Finds the state of an address, by its name or its code, such as NSW of AU-NSW. Of some countries, Tryton takes only
 * certain types: of Italy its provinces, not its regions.
 */
async function findSubdivision(
  { connector }: Orders,
  { country, country_code, state }: { country: number; country_code: string; state: string },
): Promise<number | null> {
  const { rpc } = connector
  const ofCountry = [['country_code', '=', country_code]]
  const fields = ['types']
  const [limit] = await rpc.searchRead('party.address.subdivision_type', ofCountry, typesRow, { fields })
  const types = limit?.types ?? []
  const domain = [
    ['country', '=', country],
    ...(types.length > 0 ? [['type', 'in', types]] : []),
    ['OR', ['name', 'ilike', escapeLike(state)], ['code', 'ilike', `%-${escapeLike(state)}`]],
  ]
  const [found] = await rpc.search('country.subdivision', domain, { limit: 1 })
  return found ?? null
}

const escapeLike = (text: string) => text.replaceAll(/[\\%_]/g, (character) => `\\${character}`)
