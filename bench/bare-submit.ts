import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import pg from 'pg'
import { Agent, request } from 'undici'

/**
 * The baseline for submits: the minimum work of a durable submit, which is one commit before the call to the ERP and
 * one after it. There is no authentication, validation or order logic.
 * Usage: `node bare-submit.ts <port> <ERP URL> <ERP token>`, with DATABASE_URL set.
 */

const [port = '', erp = '', token = ''] = process.argv.slice(2)
const connections = 16
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: connections, pipeline: true })
const agent = new Agent({ connections: 2 * connections })
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
let submits = 0

interface Statement {
  readonly name: string
  readonly text: string
  readonly values: readonly string[]
}

/** Runs the statements in one transaction. The whole transaction is sent in one packet. */
async function commit(statements: readonly Statement[]): Promise<void> {
  const client = await pool.connect()
  const { stream } = (client as pg.PoolClient & { connection: pg.Connection }).connection
  stream.cork()
  process.nextTick(() => stream.uncork())
  const prepared = statements.map(({ values, ...rest }) => client.query({ ...rest, values: [...values] }))
  await Promise.all([client.query('begin'), ...prepared, client.query('commit')])
  client.release()
}

async function submit(body: string): Promise<string> {
  submits += 1
  const id = String(submits)
  await commit([
    { name: 'intend', text: 'insert into bare_intents values ($1, $2)', values: [id, body] },
    { name: 'mark', text: 'insert into bare_orders values ($1, $2)', values: [id, body] },
  ])
  const response = await request(`${erp}/submit`, { method: 'POST', dispatcher: agent, headers, body })
  const erpResponse = await response.body.text()
  await commit([
    { name: 'close', text: 'delete from bare_intents where id = $1', values: [id] },
    { name: 'apply', text: 'update bare_orders set said = $2 where id = $1', values: [id, erpResponse] },
    { name: 'publish', text: 'insert into bare_events values ($1, $2)', values: [id, erpResponse] },
  ])
  return erpResponse
}

function serve(incoming: IncomingMessage, response: ServerResponse) {
  const chunks: Buffer[] = []
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
  incoming.on('end', () => {
    submit(Buffer.concat(chunks).toString()).then(
      (body) => response.writeHead(200, { 'content-type': 'application/json' }).end(body),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
}

for (const table of ['bare_intents', 'bare_orders', 'bare_events']) {
  await pool.query(`drop table if exists ${table}`)
  await pool.query(`create table ${table} (id text primary key, said text)`)
}
createServer(serve).listen(Number(port), '127.0.0.1', () => process.send?.('ready'))
