/**
 * Order lines of an invented shop, for whoever has none at hand: the same every time, a few thousand over fifty
 * days, of which one month is whole. They have what real ones have: cancellations, write-offs, postage, missing
 * customers, blank descriptions, a price of 0, and one write-off of more than there ever was.
 */
import { csvField } from '../../sandbox-erp/src/catalogue/csv.ts'
import { decimalText } from '../../sandbox-erp/src/catalogue/decimal.ts'
import { Random } from '../../sandbox-erp/src/catalogue/random.ts'

const seed = 20_101_201
const articles = 300
const invoices = 900
const mostLinesPerInvoice = 9
const firstDay_ms = Date.UTC(2024, 1, 20)
const minutes = 50 * 24 * 60

const header = 'InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country'
const things = ['LANTERN', 'TEA TOWEL', 'CAKE STAND', 'PAPER CHAIN', 'BIRD HOUSE', 'MUG', 'TIN', 'BUNTING']
const looks = ['RED', 'WHITE', 'VINTAGE', 'SPOTTY', 'WOODEN', 'RETRO', 'BLUE', 'SMALL']
/** So many invoices out of a hundred are cancellations, and so many are write-offs. */
const cancellations = 8
const writeOffs = 3

interface Article {
  readonly code: string
  readonly name: string
  readonly price: number
}

/** The text of the file. */
export function generatedOrders(): string {
  const random = new Random(seed)
  const catalogue = Array.from({ length: articles }, (_, index) => article(random, index))
  const lines = [header]
  for (let invoice = 0; invoice < invoices; invoice++) {
    const minute = Math.floor((invoice * minutes) / invoices)
    lines.push(...invoiceLines(random, catalogue, invoice, dateAt(minute)))
  }
  const [first] = catalogue
  if (first) lines.push(line(`${600_000 + invoices}`, first, -1_000_000, dateAt(minutes / 2), '', 0))
  return `${lines.join('\n')}\n`
}

function article(random: Random, index: number): Article {
  const variant = random.chance(0.3) ? 'ABCD'.charAt(index % 4) : ''
  const name = `${random.pick(looks)} ${random.pick(things)}, NO. ${index + 1}`
  return { code: `${20_000 + index * 7}${variant}`, name, price: random.whole(21, 1995) }
}

function invoiceLines(random: Random, catalogue: Article[], invoice: number, date: string): string[] {
  const dice = random.whole(1, 100)
  const customer = random.chance(0.2) ? '' : `${random.whole(12_346, 18_287)}.0`
  const number = `${dice <= cancellations ? 'C' : ''}${600_000 + invoice}`
  const isNegative = dice <= cancellations + writeOffs
  const lines = Array.from({ length: random.whole(1, mostLinesPerInvoice) }, () => {
    const quantity = random.chance(0.1) ? random.whole(24, 480) : random.whole(1, 12)
    const sold = random.pick(catalogue)
    const isGiven = random.chance(0.01) || (isNegative && dice > cancellations)
    return line(number, sold, isNegative ? -quantity : quantity, date, customer, isGiven ? 0 : sold.price)
  })
  const postage = { code: 'POST', name: 'POSTAGE', price: 1800 }
  if (!isNegative && random.chance(0.1)) lines.push(line(number, postage, 1, date, customer, 1800))
  return lines
}

function line(
  number: string,
  { code, name }: Article,
  quantity: number,
  date: string,
  customer: string,
  price: number,
): string {
  const description = price === 0 ? '' : name
  const fields = [
    number,
    code,
    description,
    String(quantity),
    date,
    decimalText(price),
    customer,
    'Australia',
  ]
  return fields.map(csvField).join(',')
}

function dateAt(minute: number): string {
  return new Date(firstDay_ms + minute * 60_000).toISOString().slice(0, 19).replace('T', ' ')
}
