import { createHmac, createSecretKey } from 'node:crypto'
import { Agent } from 'undici'

/**
 * What the dispatch of webhooks is compared with: signed POSTs in a loop, by the same client, with nothing behind
 * them. `node bare-webhooks.ts <origin> <bytes of a body> <in flight>`; told a number by its parent, it sends as many
 * and tells how long that took.
 */
const [origin = '', bytes = '', inFlight = ''] = process.argv.slice(2)
const agent = new Agent({ connections: null, pipelining: 1, allowH2: false })
const key = createSecretKey(Buffer.alloc(32, 1))
const filler = 'x'.repeat(Number(bytes))

function post(at: number): Promise<void> {
  const id = `evt_${at}`
  const body = Buffer.from(JSON.stringify({ event_id: id, type: 'bare', filler }))
  const t = String(Math.floor(Date.now() / 1000))
  const digest = createHmac('sha256', key).update(`${id}.${t}.`).update(body).digest()
  const headers = [
    'Content-Type',
    'application/json',
    'X-Service-Signature',
    `t=${t},v1=${digest.toString('hex')}`,
    'webhook-id',
    id,
    'webhook-timestamp',
    t,
    'webhook-signature',
    `v1,${digest.toString('base64')}`,
  ]
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  agent.dispatch(
    { origin, path: '/bare', method: 'POST', headers, body },
    {
      onRequestStart() {},
      onResponseStart(_controller, status) {
        if (status !== 200) reject(new Error(`The receiver answered ${status}.`))
      },
      onResponseData() {},
      onResponseEnd: () => resolve(),
      onResponseError: (_controller, error) => reject(error),
    },
  )
  return promise
}

async function sent(count: number): Promise<number> {
  const began = performance.now()
  let next = 0
  const worker = async () => {
    while (next < count) await post(next++)
  }
  await Promise.all(Array.from({ length: Number(inFlight) }, worker))
  return performance.now() - began
}

process.on('message', (count: number) => {
  sent(count).then(
    (ms) => process.send?.(ms),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`)
      process.exit(1)
    },
  )
})
process.send?.('ready')
