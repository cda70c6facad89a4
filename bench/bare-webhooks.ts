import { createHmac, createSecretKey } from 'node:crypto'
import { Agent } from 'undici'

/**
 * The baseline for webhooks: signed POSTs in a loop with the gateway's HTTP client, without queue or database.
 * Usage: `node bare-webhooks.ts <origin> <body bytes> <in flight>`. The parent process sends a number of requests over
 * IPC, and this process replies with the milliseconds that sending them took.
 */

const [origin = '', bytes = '', inFlight = ''] = process.argv.slice(2)
const agent = new Agent({ connections: null, pipelining: 1, allowH2: false })
const key = createSecretKey(Buffer.alloc(32, 1))
const filler = 'x'.repeat(Number(bytes))

function postWebhook(at: number): Promise<void> {
  const id = `evt_${at}`
  const body = Buffer.from(JSON.stringify({ event_id: id, type: 'bare', filler }))
  const timestamp = String(Math.floor(Date.now() / 1000))
  const digest = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
  const headers = [
    'Content-Type',
    'application/json',
    'X-Service-Signature',
    `t=${timestamp},v1=${digest.toString('hex')}`,
    'webhook-id',
    id,
    'webhook-timestamp',
    timestamp,
    'webhook-signature',
    `v1,${digest.toString('base64')}`,
  ]
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  agent.dispatch(
    { origin, path: '/bare', method: 'POST', headers, body },
    {
      onRequestStart() {},
      onResponseStart(_controller, status) {
        if (status !== 200) reject(new Error(`The receiver returned ${status}.`))
      },
      onResponseData() {},
      onResponseEnd: () => resolve(),
      onResponseError: (_controller, error) => reject(error),
    },
  )
  return promise
}

async function sendWebhooks(count: number): Promise<number> {
  const began = performance.now()
  let next = 0
  const runWorker = async () => {
    while (next < count) await postWebhook(next++)
  }
  await Promise.all(Array.from({ length: Number(inFlight) }, runWorker))
  return performance.now() - began
}

process.on('message', (count: number) => {
  sendWebhooks(count).then(
    (ms) => process.send?.(ms),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`)
      process.exit(1)
    },
  )
})
process.send?.('ready')
