/**
 * A process that follows a warehouse, until it is killed. Lines on stdin are nudges. What is in memory can be read by
 * this process only, so it prints each state that it reads there.
 */

import { createInterface } from 'node:readline'
import { TradeGateway } from '../../src/index.ts'
import { StockMirror } from '../../src/mirror/index.ts'
import { nameState } from './state.ts'
import { openStore } from './stores.ts'
import { warehouse } from './warehouse.ts'

/** What the test passes as the first argument. */
export interface ChildSetting {
  readonly baseUrl: string
  readonly auth: { readonly clientId: string; readonly clientSecret: string }
  readonly address: string
}

const { baseUrl, auth, address }: ChildSetting = JSON.parse(process.argv[2] ?? '')
const client = new TradeGateway({ baseUrl, auth })
const { store } = openStore(address)
// Small pages make many steps, and so many places to be killed at.
const mirror = new StockMirror(client, { warehouses: [warehouse], store, pageSize: 10, intervalMs: 20 })
createInterface({ input: process.stdin }).on('line', (line) => mirror.nudge(JSON.parse(line)))
mirror.on('progress', ({ page }) => process.stdout.write(`page ${page}\n`))
mirror.on('change', ({ version }) => process.stdout.write(`change ${version}\n`))
await mirror.start()
process.stdout.write('started\n')
if (address === '') await printStates()

async function printStates() {
  let known = ''
  for (;;) {
    const state = nameState(await mirror.list(warehouse))
    if (state !== known) process.stdout.write(`state ${state}\n`)
    known = state
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}
