/**
 * Generates order lines of a simulated shop, for runs without a file: always the same few thousand lines over fifty
 * days, with one complete month. Like real data they contain cancellations, write-offs, postage, missing customers,
 * blank descriptions, a price of 0, and one write-off of more than the stock.
 */
import { toCsvField } from '../../sandbox-erp/src/catalogue/csv.ts'
import { formatDecimal } from '../../sandbox-erp/src/catalogue/decimal.ts'
import { Random } from '../../sandbox-erp/src/catalogue/random.ts'

const seed = 20_101_201
const articles = 300
const invoices = 900
const maxLinesPerInvoice = 9
const firstDay_ms = Date.UTC(2024, 1, 20)
const minutes = 50 * 24 * 60

const header = 'InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country'
const things = ['LANTERN', 'TEA TOWEL', 'CAKE STAND', 'PAPER CHAIN', 'BIRD HOUSE', 'MUG', 'TIN', 'BUNTING']
const looks = ['RED', 'WHITE', 'VINTAGE', 'SPOTTY', 'WOODEN', 'RETRO', 'BLUE', 'SMALL']
/** The percentages of cancellations and of write-offs among the invoices. */
const cancellations = 8
const writeOffs = 3

interface Article {
  readonly code: string
  readonly name: string
  readonly price: number
}

/** Generates the text of the file. */
export function generateOrders(): string {
  const random = new Random(seed)
  const catalogue = Array.from({ length: articles }, (_, index) => createArticle(random, index))
  const lines = [header]
  for (let invoice = 0; invoice < invoices; invoice++) {
    const minute = Math.floor((invoice * minutes) / invoices)
    lines.push(...createInvoiceLines(random, catalogue, { invoice, date: formatDate(minute) }))
  }
  const [first] = catalogue
  if (first)
    lines.push(
      formatLine({
        number: `${600_000 + invoices}`,
        article: first,
        quantity: -1_000_000,
        date: formatDate(minutes / 2),
        customer: '',
        price: 0,
      }),
    )
  return `${lines.join('\n')}\n`
}

function createArticle(random: Random, index: number): Article {
  const variant = random.drawWithProbability(0.3) ? 'ABCD'.charAt(index % 4) : ''
  const name = `${random.pick(looks)} ${random.pick(things)}, NO. ${index + 1}`
  return { code: `${20_000 + index * 7}${variant}`, name, price: random.drawInteger(21, 1995) }
}

function createInvoiceLines(
  random: Random,
  catalogue: Article[],
  { invoice, date }: { invoice: number; date: string },
): string[] {
  const dice = random.drawInteger(1, 100)
  const customer = random.drawWithProbability(0.2) ? '' : `${random.drawInteger(12_346, 18_287)}.0`
  const number = `${dice <= cancellations ? 'C' : ''}${600_000 + invoice}`
  const isNegative = dice <= cancellations + writeOffs
  const lines = Array.from({ length: random.drawInteger(1, maxLinesPerInvoice) }, () => {
    const quantity = random.drawWithProbability(0.1) ? random.drawInteger(24, 480) : random.drawInteger(1, 12)
    const sold = random.pick(catalogue)
    const isGiven = random.drawWithProbability(0.01) || (isNegative && dice > cancellations)
    return formatLine({
      number,
      article: sold,
      quantity: isNegative ? -quantity : quantity,
      date,
      customer,
      price: isGiven ? 0 : sold.price,
    })
  })
  const postage = { code: 'POST', name: 'POSTAGE', price: 1800 }
  if (!isNegative && random.drawWithProbability(0.1))
    lines.push(formatLine({ number, article: postage, quantity: 1, date, customer, price: 1800 }))
  return lines
}

interface SoldLine {
  readonly number: string
  readonly article: Article
  readonly quantity: number
  readonly date: string
  readonly customer: string
  readonly price: number
}

function formatLine({ number, article, quantity, date, customer, price }: SoldLine): string {
  const description = price === 0 ? '' : article.name
  const fields = [
    number,
    article.code,
    description,
    String(quantity),
    date,
    formatDecimal(price),
    customer,
    'Australia',
  ]
  return fields.map(toCsvField).join(',')
}

function formatDate(minute: number): string {
  return new Date(firstDay_ms + minute * 60_000).toISOString().slice(0, 19).replace('T', ' ')
}
