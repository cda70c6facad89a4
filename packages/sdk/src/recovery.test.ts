import { describe, expect, it, vi } from 'vitest'
import { OutcomeUnknownError } from './errors/outcome-unknown.ts'
import { OutcomeRecovery } from './recovery.ts'
import { Calls } from './resources/calls.ts'
import { Dropship } from './resources/dropship.ts'
import { readLimits } from './transport/options.ts'
import { Transport } from './transport/transport.ts'

const hourMs = 60 * 60_000
const now = Date.parse('2027-01-02T12:00:00.000Z')
const key = 'order-17'
const submitPath = '/api/v1/dropship-orders/submit'
const previewPath = '/api/v1/dropship-orders/allocation-preview'

const recipient = {
  name: 'Alex Lee',
  phone: '1',
  address: '1 Example Street',
  city: 'Sydney',
  country_code: 'AU',
}
const wish = { sku: 'A-1', quantity: 1, client_order_number: 'WEB-1', recipient }

/** An order as the list shows it, submitted some time before the write. */
function buildRow(id: string, submittedMs = 0, more: object = {}) {
  const time = new Date(now - submittedMs).toISOString()
  return {
    dropship_order_id: id,
    sku: 'A-1',
    status: 'pending',
    in_doubt: false,
    submitted_at: time,
    updated_at: time,
    ...more,
  }
}

const cancelledYesterday = buildRow('dso_old', 24 * hourMs, { status: 'cancelled' })
const inDoubt = buildRow('dso_new', 0, { in_doubt: true, submitted_at: null })

function buildKey(path: string, state: string, id = 'dso_key') {
  return { key, method: 'POST', path, state, resource: { type: 'dropship_order', id } }
}

interface Known {
  readonly keys?: readonly object[]
  readonly rows?: readonly object[]
  readonly onPost?: () => void
  readonly provide?: () => Promise<string>
}

/** A gateway that performs no write, and says what it knows. */
function openGateway({ keys = [], rows = [], onPost = () => {}, provide = async () => 'token' }: Known) {
  const sent: string[] = []
  const clock = { now: 0 }
  const answer = (url: URL) => {
    if (url.pathname === '/api/v1/idempotency-keys') return { data: keys }
    const id = /\/dropship-orders\/(dso_\w+)$/.exec(url.pathname)?.[1]
    if (id) return { data: buildRow(id) }
    return { data: rows, has_more: false, next_cursor: null, as_of: new Date(now + clock.now).toISOString() }
  }
  const setting = {
    baseUrl: 'https://gateway.example',
    limits: readLimits({ maxRetries: 0 }),
    headers: {},
    isPaced: false,
    now: () => clock.now,
    random: () => 0,
    async fetch(input: unknown, init: RequestInit = {}) {
      const url = new URL(String(input))
      sent.push(`${init.method} ${url.pathname}`)
      if (init.method === 'POST') {
        onPost()
        throw new TypeError('the connection broke')
      }
      return Response.json(answer(url))
    },
  }
  const recovery = new OutcomeRecovery({
    getCalls: () => calls,
    send: (...write) => transport.send(...write),
    now: setting.now,
  })
  const tokens = { provide, renew: () => false }
  const transport: Transport = new Transport(setting, tokens, (...open) => recovery.recover(...open))
  const calls = new Calls(transport)
  return { dropship: new Dropship(calls), clock, sent }
}

type Gateway = ReturnType<typeof openGateway>

async function catchUnknown(promise: Promise<unknown>): Promise<OutcomeUnknownError> {
  const error = await promise.catch((thrown: unknown) => thrown)
  if (error instanceof OutcomeUnknownError) return error
  throw new Error(`The outcome is not unknown: ${JSON.stringify(error)}`)
}

const submit = ({ dropship }: Gateway, options = {}) =>
  catchUnknown(dropship.submit(wish, { idempotencyKey: key, ...options }))

const countPosts = ({ sent }: Gateway) => sent.filter((each) => each.startsWith('POST')).length

describe('the look-up of a write by its number', () => {
  it.each([
    ['was cancelled before the write began', [cancelledYesterday]],
    ['was cancelled while another one is in doubt', [inDoubt, cancelledYesterday]],
    [
      'was voided a moment before',
      [
        buildRow('dso_old', 30_000, {
          status: 'cancelled',
          updated_at: new Date(now - 10_000).toISOString(),
        }),
      ],
    ],
    ['was submitted while another one is in doubt', [inDoubt, buildRow('dso_other')]],
    ['has another SKU', [buildRow('dso_other', 0, { sku: 'B-2' })]],
  ])('returns no order that %s', async (_, rows) => {
    const error = await submit(openGateway({ rows }))
    await catchUnknown(error.recover())
  })

  it('returns the order that was submitted since, a day later, too', async () => {
    const gateway = openGateway({ rows: [buildRow('dso_new'), cancelledYesterday] })
    const error = await submit(gateway)
    gateway.clock.now += 25 * hourMs
    expect(await error.recover()).toMatchObject({ dropship_order_id: 'dso_new' })
  })

  it('allows for an ERP whose clock is behind', async () => {
    const error = await submit(
      openGateway({ rows: [buildRow('dso_new', 50_000, { updated_at: new Date(now).toISOString() })] }),
    )
    expect(await error.recover()).toMatchObject({ dropship_order_id: 'dso_new' })
  })

  it('returns no order for a preview', async () => {
    const { dropship } = openGateway({
      rows: [buildRow('dso_new')],
      keys: [buildKey(previewPath, 'completed')],
    })
    const error = await catchUnknown(dropship.preview(wish, { idempotencyKey: key }))
    await catchUnknown(error.recover())
  })
})

describe('the look-up of a write by its key', () => {
  it('leaves out another write under the same key', async () => {
    const keys = [buildKey(previewPath, 'completed', 'dso_preview'), buildKey(submitPath, 'in_doubt')]
    const error = await submit(openGateway({ keys, rows: [buildRow('dso_other')] }))
    await catchUnknown(error.recover())
    const settled = openGateway({ keys: [keys[0] ?? {}, buildKey(submitPath, 'completed')] })
    expect(await (await submit(settled)).recover()).toMatchObject({ dropship_order_id: 'dso_key' })
  })
})

describe('a try to recover', () => {
  it('sends nothing again once the key may have ended, however old the error is', async () => {
    const gateway = openGateway({})
    const error = await submit(gateway)
    gateway.clock.now += 23 * hourMs
    await catchUnknown(error.recover())
    expect(countPosts(gateway)).toBe(1)
  })

  it('sends nothing again after a machine has slept for a day, whose clock stood still', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const sleep = () => vi.setSystemTime(Date.now() + 24 * hourMs)
    const gateway = openGateway({})
    const error = await submit(gateway)
    sleep()
    await catchUnknown(error.recover())
    expect(countPosts(gateway)).toBe(1)
    const asleep = openGateway({ onPost: sleep })
    await submit(asleep, { maxRetries: 3 })
    expect(countPosts(asleep)).toBe(1)
    // It falls asleep while it waits for the next request.
    let provided = 0
    const waiting = openGateway({
      provide: async () => {
        if (++provided > 1) sleep()
        return 'token'
      },
    })
    await submit(waiting, { maxRetries: 3 })
    expect(countPosts(waiting)).toBe(1)
    vi.useRealTimers()
  })

  it('sends nothing again once the key may have ended while the machine slept during the try', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const gateway = openGateway({ onPost: () => vi.setSystemTime(Date.now() + 12 * hourMs) })
    const error = await submit(gateway)
    await catchUnknown(error.recover())
    expect(countPosts(gateway)).toBe(2)
    vi.useRealTimers()
  })

  it('is offered, too, where the provider of tokens fails between two requests', async () => {
    let tokens = 0
    const provide = async () => {
      if (++tokens > 1) throw new Error('the vault is down')
      return 'token'
    }
    const gateway = openGateway({ provide })
    const error = await submit(gateway, { maxRetries: 1 })
    expect(error).toMatchObject({ idempotencyKey: key, attempts: 1 })
    expect(error.message).toContain('the vault is down')
    expect(countPosts(gateway)).toBe(1)
  })

  it('counts from the first request, also after a try that failed', async () => {
    const gateway = openGateway({})
    let error = await submit(gateway)
    gateway.clock.now += 12 * hourMs
    error = await catchUnknown(error.recover())
    const posts = countPosts(gateway)
    expect(posts).toBeGreaterThan(1)
    gateway.clock.now += 11 * hourMs
    await catchUnknown(error.recover())
    expect(countPosts(gateway)).toBe(posts)
  })

  it('has a signal of its own, and not that of the call', async () => {
    const call = new AbortController()
    const gateway = openGateway({ rows: [buildRow('dso_new')] })
    const error = await submit(gateway, { signal: call.signal })
    call.abort(new Error('the call took too long'))
    expect(await error.recover()).toMatchObject({ dropship_order_id: 'dso_new' })
    const ended = error.recover({ signal: AbortSignal.abort(new Error('enough')) })
    await expect(ended).rejects.toThrow('enough')
  })
})
