import { openChannel } from './channel.ts'
import { readSettings } from './settings.ts'

const settings = readSettings(process.env)
const channel = await openChannel(settings)
process.stdout.write(`The channel listens at ${channel.url}. Webhooks go to ${channel.url}/hook.\n`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void channel.close())
await channel.mirror.ready()
process.stdout.write(`The stock of ${settings.warehouses.join(', ')} is complete.\n`)
