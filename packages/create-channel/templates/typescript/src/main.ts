import { openChannel } from './channel.ts'
import { readSettings } from './settings.ts'

const settings = readSettings(process.env)
const channel = await openChannel(settings)
process.stdout.write(`The channel listens at ${channel.url}. Webhooks go to ${channel.url}/hook.\n`)
let isEnding = false
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    isEnding = true
    void channel.close()
  })
try {
  await channel.mirror.ready()
  process.stdout.write(`The stock of ${settings.warehouses.join(', ')} is complete.\n`)
} catch (error) {
  // Whoever ends the channel before its first copy is complete waits for nothing.
  if (!isEnding) throw error
}
