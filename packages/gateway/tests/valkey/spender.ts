/**
 * One of several processes that spend the points of the same channels. Arguments: the server's URL, the installation,
 * the limit, the number of channels and of calls of each. Prints the points that each channel got, as JSON.
 */

import { openCounter, patientMs } from './server.ts'

const [url = '', installation = '', ...numbers] = process.argv.slice(2)
const [limit = 0, channels = 0, calls = 0] = numbers.map(Number)
const fixedTime = Date.UTC(2026, 10, 21)

const one = await openCounter({ url, installation, waitMs: patientMs, readTime: () => fixedTime })
const granted = Array.from({ length: channels }, () => 0)
for (let call = 0; call < calls; call++) {
  await Promise.all(
    granted.map(async (_, channel) => {
      const { points } = await one.counter.take(`channel ${channel}`, 1 + (call % 2), limit)
      granted[channel] = (granted[channel] ?? 0) + points
    }),
  )
}
process.stdout.write(JSON.stringify({ granted, alone: one.countAlone() }))
one.valkey.close()
