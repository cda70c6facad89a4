/**
 * Every command prints JSON alone with `--json`: one document, or one on each line. It is tried with standard error on a
 * terminal, where colours and progress bars are allowed, and standard output in a pipe, where they are not.
 */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signInBuyer } from '../../gateway/tests/harness.ts'
import { openReceiver, registerEndpoint } from '../../gateway/tests/receiver.ts'
import { commands } from '../src/commands.ts'
import { runInProcess } from './run-in-process.ts'
import { openShopWithHome, type Shop } from './shop.ts'

let shop: Shop
let env: Readonly<Record<string, string>>
const visible = commands.filter(({ isHidden }) => !isHidden).map(({ name }) => name)

beforeAll(async () => {
  shop = await openShopWithHome()
  env = { ...shop.env, HOME: shop.home.folder, TGW_KEYCHAIN: 'off' }
})
afterAll(() => shop.close())

const recipient = ['name=Kim Park', 'phone=+61 2 5550 1234', 'address=1 Example Street', 'city=Sydney']
  .concat(['state=NSW', 'postal_code=2000', 'country_code=AU'])
  .flatMap((field) => ['--set', `recipient.${field}`])
const goods = [...recipient, '--sku', 'SBX-SHORT-3', '--quantity', '1']
const period = ['--from', '2026-11-01', '--to', '2026-11-21']

/** Runs a command with `--json`, and returns the documents that it printed. */
async function run(...args: readonly string[]): Promise<Record<string, unknown>[]> {
  const { code, out, err } = await runInProcess([...args, '--json'], { env, isTalkTerminal: true })
  expect(code, `${args.join(' ')}: ${err}`).toBe(0)
  expect(out).not.toContain('\u001b')
  return parse(out)
}

function parse(out: string): Record<string, unknown>[] {
  try {
    return [JSON.parse(out)]
  } catch {
    const lines = out.split('\n').filter((line) => line !== '')
    return lines.map((line) => JSON.parse(line))
  }
}

/** Reads a field of the first document. */
async function read(field: string, ...args: readonly string[]): Promise<string> {
  const [first] = await run(...args)
  expect(first, args.join(' ')).toHaveProperty(field)
  return String(first?.[field])
}

let orders = 0
const submit = () => read('dropship_order_id', 'dropship', 'submit', ...goods, '--number', `JSON-${++orders}`)
const draft = async () => {
  const { out: body } = await runInProcess(['order', 'create', '--example'], { env })
  const file = join(shop.home.folder, 'order.json')
  await writeFile(file, body)
  return read('order_id', 'order', 'create', '-f', file)
}
async function addEndpoint(): Promise<string> {
  const receiver = await openReceiver()
  return (await registerEndpoint(shop.house, await signInBuyer(shop.house), receiver.url)).endpoint_id
}
const login = (profile: string) => run('login', '--profile', profile)

/** How each command is called. A command without a line here fails the first test. */
const calls: Readonly<Record<string, () => Promise<unknown>>> = {
  login: () => login('one'),
  logout: () => login('two').then(() => run('logout', '--profile', 'two')),
  whoami: () => run('whoami'),
  token: () => read('access_token', 'token'),
  'profiles list': () => login('one').then(() => read('profile', 'profiles', 'list')),
  'profiles use': () => login('one').then(() => read('profile', 'profiles', 'use', 'one')),
  'profiles remove': () => login('gone').then(() => read('profile', 'profiles', 'remove', 'gone')),
  quickstart: () => read('dropship_order_id', 'quickstart'),
  doctor: () => read('check', 'doctor'),
  warehouses: () => read('warehouse_code', 'warehouses'),
  'stock get': () => read('sku', 'stock', 'get', 'SBX-SHORT-3'),
  'stock pull': () => read('sku', 'stock', 'pull', 'AUSYD1'),
  'stock watch': () => expectRefusal('stock', 'watch', 'AUSYD1', '--since', 'yesterday'),
  'products search': () => read('product_code', 'products', 'search', 'SBX'),
  'products get': async () => run('products', 'get', await read('product_code', 'products', 'search', 'SBX')),
  'order list': () => draft().then(() => read('order_id', 'order', 'list')),
  'order get': async () => run('order', 'get', await draft()),
  'order create': () => run('order', 'create', '--example').then(draft),
  'order preview': async () => run('order', 'preview', await draft()),
  'order submit': async () => run('order', 'submit', await draft()),
  'order void': async () => run('order', 'void', await draft()),
  'dropship list': () => submit().then(() => read('dropship_order_id', 'dropship', 'list')),
  'dropship get': async () => run('dropship', 'get', await submit()),
  'dropship preview': () => run('dropship', 'preview', ...goods, '--number', 'JSON-P'),
  'dropship submit': submit,
  'dropship release': async () =>
    run(
      'dropship',
      'release',
      await read('dropship_order_id', 'dropship', 'preview', ...goods, '--number', 'JSON-R'),
    ),
  'dropship void': async () => run('dropship', 'void', await submit()),
  'shipping-methods': () => read('shipping_method_id', 'shipping-methods'),
  addresses: () => read('address_id', 'addresses'),
  statement: () =>
    run('statement', ...period).then(() => run('statement', ...period, '--rows', 'transactions')),
  'webhooks listen': () => read('secret', 'webhooks', 'listen', '--print-secret'),
  'webhooks trigger': () => read('dropship_order_id', 'webhooks', 'trigger', 'order.created'),
  'webhooks replay': () => read('count', 'webhooks', 'replay', '--failed', '--dry-run'),
  'webhooks list': () => addEndpoint().then(() => read('endpoint_id', 'webhooks', 'list')),
  'webhooks add': async () => {
    const receiver = await openReceiver()
    await read('endpoint_id', 'webhooks', 'add', receiver.url)
  },
  'webhooks remove': async () => run('webhooks', 'remove', await addEndpoint()),
  'webhooks rotate-secret': async () => run('webhooks', 'rotate-secret', await addEndpoint()),
  'requests get': async () => {
    const { err } = await runInProcess(['order', 'get', 'ord_00000000000000000000000000', '--json'], { env })
    await run('requests', 'get', JSON.parse(err).error.request_id)
  },
  'errors explain': () => read('code', 'errors', 'explain', 'RATE_LIMITED'),
  'errors list': () => read('code', 'errors', 'list'),
  'sandbox stock': () => run('sandbox', 'stock', 'AUSYD1', 'SBX-OOS', '0'),
  'sandbox price': () => run('sandbox', 'price', 'SBX-LAST-1', '1500'),
  'sandbox ship': async () => run('sandbox', 'ship', await submit()),
  'sandbox intercept': async () => run('sandbox', 'intercept', await submit()),
  'sandbox clock': () => run('sandbox', 'clock', '1s'),
  'sandbox faults': () => run('sandbox', 'faults', '--off'),
  'sandbox inbox': () => run('sandbox', 'inbox', 'my-shop'),
  'mcp config': () => run('mcp', 'config').then(() => run('mcp', 'config', 'claude-code')),
  api: () => run('api', 'GET', '/api/v1/me'),
  completion: () => read('script', 'completion', 'bash'),
  commands: () => read('name', 'commands'),
}

/** A command that runs until it is ended. Its lines are read in the tests of interruptions; here its failure is. */
async function expectRefusal(...args: readonly string[]) {
  const { code, out, err } = await runInProcess([...args, '--json'], { env })
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(JSON.parse(err)).toMatchObject({ error: { code: 'USAGE' }, exit_code: 2 })
}

describe('with --json', () => {
  it('every command is tried', () => {
    expect(Object.keys(calls).toSorted()).toEqual(visible.toSorted())
  })

  it.each(visible)('tgw %s prints JSON alone, and no escape sequence', async (name) => {
    await calls[name]?.()
  })

  it('a failure is JSON on standard error', async () => {
    for (const name of visible) {
      const args = [...name.split(' '), '--no-such-option', '--json']
      const { code, out, err } = await runInProcess(args, { env })
      expect({ name, code, out }).toEqual({ name, code: 2, out: '' })
      expect(JSON.parse(err)).toMatchObject({ error: { code: 'USAGE' }, exit_code: 2 })
    }
  })
})

describe('without --json', () => {
  it('no escape sequence reaches standard output that is no terminal, whatever standard error is', async () => {
    for (const args of [['doctor'], ['whoami'], ['quickstart'], ['stock', 'pull', 'AUSYD1'], ['commands']]) {
      const onTerminal = await runInProcess(args, { env, isTalkTerminal: true })
      expect(onTerminal.out, args.join(' ')).not.toContain('\u001b')
      expect(onTerminal.out).not.toBe('')
      const elsewhere = await runInProcess(args, { env })
      expect(elsewhere.out + elsewhere.err, args.join(' ')).not.toContain('\u001b')
    }
    const coloured = await runInProcess(['quickstart'], { env, isTalkTerminal: true })
    expect(coloured.err).toContain('\u001b[1m')
  })
})
