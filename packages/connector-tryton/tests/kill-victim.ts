/** A connector that kills itself, or tells its parent, right after a step that the parent names. */
import { z } from 'zod'
import { readConfig } from '../src/config.ts'
import { serve } from '../src/serve.ts'

const order = z.object({ step: z.string().optional(), isOwn: z.boolean() })
let armed: z.output<typeof order> = { isOwn: true }
process.on('message', (message) => {
  armed = order.parse(message)
})
// The parent has ended.
process.once('disconnect', () => process.exit(0))

await serve(await readConfig(process.env), {
  host: '127.0.0.1',
  port: Number(process.argv[2]),
  token: process.env.UPSTREAM_TOKEN ?? '',
  log: (line) => void process.stderr.write(`victim: ${line}\n`),
  onStep: (step) => {
    if (step !== armed.step) return
    const { isOwn } = armed
    armed = { isOwn: true }
    if (isOwn) process.kill(process.pid, 'SIGKILL')
    else process.send?.({ taken: step })
  },
})
