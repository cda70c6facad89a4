/**
 * Receives webhooks as the guide says: verifies the signature over the raw body with a library of Standard Webhooks,
 * stores the event, and then responds. It ends when its parent ends.
 */
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { z } from 'zod'
import type { Received, ReceiverStart } from './receiver.ts'

const event = z.object({
  event_id: z.string(),
  type: z.string(),
  data: z.object({
    warehouse_code: z.string().optional(),
    client_order_number: z.string().nullish(),
    version: z.number().optional(),
  }),
})

function readDelivery(verifier: Webhook, body: Buffer, headers: Readonly<Record<string, string>>): Received {
  const { event_id, type, data } = event.parse(JSON.parse(body.toString()))
  const subject = data.warehouse_code ?? data.client_order_number ?? ''
  return { event_id, type, subject, version: data.version ?? 0, genuine: isGenuine(verifier, body, headers) }
}

function isGenuine(verifier: Webhook, body: Buffer, headers: Readonly<Record<string, string>>): boolean {
  try {
    verifier.verify(body, headers)
    return true
  } catch {
    return false
  }
}

function serve({ port, file, secret }: ReceiverStart) {
  const verifier = new Webhook(secret)
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    )
    // The newline before it separates this line from one that a kill left unfinished.
    appendFileSync(file, `\n${JSON.stringify(readDelivery(verifier, body, headers))}\n`)
    response.end()
  })
  server.listen(port, '127.0.0.1', () => process.send?.('ready'))
}

process.once('disconnect', () => process.exit(0))
process.on('SIGINT', () => {})
process.once('message', (start: ReceiverStart) => serve(start))
