/**
 * The connector for Tryton, which tells its parent after each step of a write, and takes the next one when the parent lets
 * it. The replay kills processes between two steps.
 */
import { z } from 'zod'
import { readConfig } from '../../../connector-tryton/src/config.ts'
import { serve } from '../../../connector-tryton/src/serve.ts'

const waiting = new Map<number, () => void>()
let steps = 0
// The first message is empty: it only opens the channel.
process.on('message', (message) => {
  const { id } = z.object({ id: z.int().optional() }).parse(message)
  if (id === undefined) return
  waiting.get(id)?.()
  waiting.delete(id)
})
process.once('disconnect', () => process.exit(0))

const { url } = await serve(await readConfig(process.env), {
  host: '127.0.0.1',
  port: Number(process.argv.at(-1)),
  token: process.env.UPSTREAM_TOKEN ?? '',
  log: (line) => void process.stderr.write(`${line}\n`),
  onStep: (step) => {
    const id = ++steps
    const { promise, resolve } = Promise.withResolvers<void>()
    waiting.set(id, resolve)
    process.send?.({ id, step })
    return promise
  },
})
process.stdout.write(`Tryton connector at ${url}\n`)
