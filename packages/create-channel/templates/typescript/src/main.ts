import { openChannel } from './channel.ts'
import { readSettings } from './settings.ts'

const settings = readSettings(process.env)
const channel = await openChannel(settings)
console.log(`The channel listens at ${channel.url}. Webhooks go to ${channel.url}/hook.`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void channel.close())
await channel.mirror.ready()
console.log(`The stock of ${settings.warehouses.join(', ')} is complete.`)
