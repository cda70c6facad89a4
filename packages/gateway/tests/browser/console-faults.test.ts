/**
 * The console where something fails: the network, the gateway, a second operator, an hour without use. It loses nothing
 * that was shown once or typed, shows nothing old as new, and does nothing later. Runs with TEST_BROWSER=1.
 */

import type { Browser, BrowserContextOptions, Locator, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jsonLog } from '../../src/kernel/log.ts'
import { startConsoleBuild } from '../../src/start/console.ts'
import { plantCanaries } from '../canaries.ts'
import {
  adminToken,
  call,
  createWorld,
  type LooseJson,
  openTestGateway,
  type TestGateway,
} from '../harness.ts'
import { buildDropship, expectData, expectError, openShop } from '../trade.ts'
import { findAxeViolations, launchChromium, openPage, patienceMs, why } from './chromium.ts'

const hourMs = 60 * 60_000
/** Longer than the console calls again by itself after a failure. */
const failsWithin = { timeout: 30_000 }

describe.skipIf(why !== undefined)('the console where something fails', { timeout: patienceMs }, () => {
  let house: TestGateway
  let browser: Browser

  beforeAll(async () => {
    await startConsoleBuild(jsonLog('error')).done
    house = await openTestGateway()
    browser = await launchChromium()
  }, patienceMs)
  afterAll(async () => {
    await browser.close()
    await house.close()
  })

  /** Opens a page of the console and signs in. Chromium reports failed calls as offences, so these are not compared. */
  async function open(path: string, options: BrowserContextOptions = {}) {
    const opened = await openPage(browser, house.url, {
      viewport: { width: 1280, height: 900 },
      locale: 'en-GB',
      ...options,
    })
    await opened.page.goto(`${house.url}/admin${path}`)
    await signIn(opened.page)
    await opened.page.getByRole('heading', { level: 1 }).waitFor()
    return opened
  }
  const readAsAdmin = async (path: string) =>
    expectData(await call(house, 'GET', `/admin/api${path}`, { admin: adminToken }))
  const patchAsAdmin = async (path: string, body: object) =>
    expectData(await call(house, 'PATCH', `/admin/api${path}`, { admin: adminToken, body }))
  const pausedUntil = async () => (await readAsAdmin('/upstream')).writes.paused_until

  it('fails a change made offline at once, and does not make it later', async () => {
    const { page, close } = await open('/upstream')
    await page.getByRole('button', { name: 'Pause writes' }).click()
    await page.context().setOffline(true)
    await page.getByRole('dialog').getByRole('button', { name: 'Pause writes' }).click()
    await page.getByRole('dialog').getByText('OUTCOME_UNKNOWN').waitFor(failsWithin)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.context().setOffline(false)
    await page.reload()
    await page.getByRole('button', { name: 'Pause writes' }).waitFor()
    expect(await pausedUntil()).toBe(null)
    await close()
  })

  it('keeps a new secret while the page cannot be read again', async () => {
    const { channel_code } = await createWorld(house, { plan: 'reader' })
    const { page, close } = await open(`/channels/${channel_code}?tab=secrets`)
    await page.getByRole('button', { name: 'Issue a secret' }).click()
    await page.route(`**/admin/api/channels/${channel_code}`, (route) => route.abort())
    await page.getByRole('dialog').getByRole('button', { name: 'Issue a secret' }).click()
    await page.locator('.credential').nth(1).waitFor()
    await page.locator('.outdated').waitFor(failsWithin)
    expect(await page.locator('.credential').nth(1).textContent()).not.toBe('')
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await page.unroute(`**/admin/api/channels/${channel_code}`)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.locator('.outdated').waitFor({ state: 'detached' })
    await close()
  })

  it('creates one channel by two clicks in a row, and a held Enter does not close its secret', async () => {
    const { page, close } = await open('/channels')
    const posted: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') posted.push(String(request.postDataJSON().channel_code))
    })
    const fill = async (code: string) => {
      await page.getByRole('button', { name: 'New channel' }).first().click()
      await page.getByRole('textbox', { name: 'Code' }).fill(code)
      await page.getByRole('textbox', { name: 'Name' }).fill('Twice')
    }
    const secret = page.locator('.credential').nth(1)
    await fill('twice-clicked')
    await page
      .getByRole('button', { name: 'Create the channel' })
      .evaluate((button: { click(): void }) => [button.click(), button.click()])
    await secret.waitFor()
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await secret.waitFor({ state: 'detached' })
    await fill('held-enter')
    await page.keyboard.down('Enter')
    await secret.waitFor()
    for (let repeat = 0; repeat < 10; repeat++) {
      await page.waitForTimeout(50)
      await page.keyboard.down('Enter')
    }
    await page.keyboard.up('Enter')
    await page.keyboard.press('Enter')
    await page.waitForTimeout(300)
    expect(await secret.isVisible()).toBe(true)
    expect(await page.getByRole('dialog').count()).toBe(1)
    expect(posted).toEqual(['twice-clicked', 'held-enter'])
    await close()
  })

  it('issues one secret and shows it, although the first response was lost; the next opening issues another', async () => {
    const { channel_code } = await createWorld(house, { plan: 'reader' })
    const path = `/channels/${channel_code}`
    const { length: before } = (await readAsAdmin(path)).secrets
    const { page, close } = await open(`${path}?tab=secrets`)
    await page.route(`**/admin/api${path}/secrets`, loseResponse, { times: 1 })
    const dialog = page.getByRole('dialog')
    const secret = page.locator('.credential').nth(1)
    await page.getByRole('button', { name: 'Issue a secret' }).click()
    await dialog.getByRole('button', { name: 'Issue a secret' }).click()
    await dialog.getByText('OUTCOME_UNKNOWN').waitFor()
    await dialog.getByRole('button', { name: 'Issue a secret' }).click()
    await secret.waitFor()
    expect((await readAsAdmin(path)).secrets).toHaveLength(before + 1)
    const [client_id, client_secret = ''] = await page.locator('.credential').allTextContents()
    plantCanaries(client_secret)
    const body = { grant_type: 'client_credentials', client_id, client_secret }
    expect((await call(house, 'POST', '/api/v1/auth/token', { body })).status).toBe(200)
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await secret.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Issue a secret' }).click()
    await dialog.getByRole('button', { name: 'Issue a secret' }).click()
    await secret.waitFor()
    expect(await secret.textContent()).not.toBe(client_secret)
    expect((await readAsAdmin(path)).secrets).toHaveLength(before + 2)
    await close()
  })

  it('shows the secret of a channel whose creation had no response', async () => {
    const { page, close } = await open('/channels')
    await page.route('**/admin/api/channels', loseResponse, { times: 1 })
    await page.getByRole('button', { name: 'New channel' }).first().click()
    await page.getByRole('textbox', { name: 'Code' }).fill('lost-and-found')
    const name = page.getByRole('textbox', { name: 'Name' })
    await name.fill('Lost and found')
    const dialog = page.getByRole('dialog')
    const create = page.getByRole('button', { name: 'Create the channel' })
    await create.click()
    await dialog.getByText('OUTCOME_UNKNOWN').waitFor()
    // Typed, and taken back.
    await name.press('!')
    await dialog.getByText('OUTCOME_UNKNOWN').waitFor({ state: 'detached' })
    await name.press('Backspace')
    // Closed, and opened again with what was typed.
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'New channel' }).first().click()
    await create.click()
    await page.locator('.credential').nth(1).waitFor()
    expect((await readAsAdmin('/channels/lost-and-found')).secrets).toHaveLength(1)
    await close()
  })

  it('leaves the page of a channel that it deleted, and the way back does not lead there', async () => {
    const { channel_code } = await createWorld(house, { plan: 'reader' })
    const { page, close } = await open('/channels')
    const link = page.getByRole('link', { name: channel_code, exact: true })
    await link.click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Not saved')
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox').fill(channel_code)
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText(`Channel ${channel_code} is deleted.`).waitFor()
    await page.waitForURL('**/admin/channels')
    await link.waitFor({ state: 'detached' })
    await page.goBack()
    await page.waitForURL('**/admin/channels')
    await page.getByRole('heading', { level: 1, name: 'Channels' }).waitFor()
    await close()
  })

  it('keeps edits through one’s own pause, and says of a save without a response what the channel has', async () => {
    const { channel_code } = await createWorld(house, { plan: 'reader' })
    const { page, close } = await open(`/channels/${channel_code}`)
    const name = page.getByRole('textbox', { name: 'Name' })
    const conflict = page.getByText('Somebody else changed this channel')
    const save = page.getByRole('button', { name: 'Save' })
    await name.fill('Mine')
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Pause', exact: true }).click()
    await page.locator('.page-head').getByText('paused', { exact: true }).waitFor()
    expect(await name.inputValue()).toBe('Mine')
    expect(await conflict.count()).toBe(0)
    await save.click()
    await page.getByText('The channel is changed.').waitFor()
    expect(await readAsAdmin(`/channels/${channel_code}`)).toMatchObject({ name: 'Mine', paused: true })

    await name.fill('Mine, lost')
    await page.route(
      `**/admin/api/channels/${channel_code}`,
      (route) => (route.request().method() === 'PATCH' ? loseResponse(route) : route.continue()),
      { times: 1 },
    )
    await save.click()
    await page.getByRole('heading', { level: 1, name: 'Mine, lost' }).waitFor()
    expect(await save.isDisabled()).toBe(true)
    expect(await name.inputValue()).toBe('Mine, lost')
    expect(await conflict.count()).toBe(0)
    await close()
  })

  it('takes no edits of a channel while they would be lost, because a save is under way', async () => {
    const { channel_code } = await createWorld(house, { plan: 'reader' })
    const { page, close } = await open(`/channels/${channel_code}`)
    const name = page.getByRole('textbox', { name: 'Name' })
    const customer = page.getByRole('textbox', { name: 'Customer' })
    const saved = Promise.withResolvers<void>()
    await page.route(`**/admin/api/channels/${channel_code}`, async (route) => {
      if (route.request().method() === 'PATCH') await saved.promise
      await route.continue()
    })
    await name.fill('Saved')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => name.isDisabled()).toBe(true)
    expect(await customer.isDisabled()).toBe(true)
    expect(await page.getByRole('button', { name: 'Discard' }).isDisabled()).toBe(true)
    saved.resolve()
    await page.getByText('The channel is changed.').waitFor()
    await expect.poll(() => name.isEnabled()).toBe(true)
    expect(await name.inputValue()).toBe('Saved')
    await close()
  })

  it('opens nothing behind a dialog by a click or a key, and links only documents that have a page', async () => {
    const { page, close } = await open('/channels')
    const [order, reservation] = ['ord_00000000000000000000000000', 'rsv_00000000000000000000000000']
    const doubts = [order, reservation].map((id) => doubtOf(id))
    await page.route('**/admin/api/writes-in-doubt', (route) => route.fulfill({ json: { data: doubts } }))
    await page.goto(`${house.url}/admin/unknown-outcomes`)
    const link = page.locator('[data-row-link]')
    await page.getByText(reservation, { exact: true }).waitFor()
    expect(await link.allTextContents()).toEqual([order])
    await page.getByRole('button', { name: 'It is in the ERP' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('The gateway reads the document').click()
    await page.keyboard.press('j')
    expect(await hasFocus(link)).toBe(false)
    // Beside the dialog.
    await page.mouse.click(5, 5)
    await dialog.waitFor({ state: 'detached' })
    expect(new URL(page.url()).pathname).toBe('/admin/unknown-outcomes')
    await page.keyboard.press('j')
    expect(await hasFocus(link)).toBe(true)
    await page.getByRole('cell', { name: `of ${order}` }).click()
    await page.waitForURL(`**/orders/${order}`)
    await close()
  })

  it('keeps a refusal whose row has lost its buttons, until it is closed or the console is locked', async () => {
    const { token, channel_code } = await createWorld(house, { plan: 'reader' })
    const request = { token, body: { plan: 'trader' } }
    const { plan_request_id } = expectData(await call(house, 'POST', '/api/v1/plan-requests', request), 201)
    const { page, close } = await open('/plan-requests')
    await page.getByRole('row').filter({ hasText: channel_code }).getByRole('button').last().click()
    const path = `/admin/api/plan-requests/${plan_request_id}/approve`
    expectData(await call(house, 'POST', path, { admin: adminToken }))
    await page.getByRole('dialog').getByRole('button', { name: 'Decline' }).click()
    await page.getByRole('row').filter({ hasText: channel_code }).getByText('approved').waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const refusal = page.getByRole('alert').filter({ hasText: 'Decline the request of channel' })
    await refusal.getByText('VALIDATION_FAILED').waitFor()
    await refusal.getByRole('link', { name: 'req_' }).click()
    await page.getByRole('heading', { level: 2 }).filter({ hasText: 'VALIDATION_FAILED' }).waitFor()
    expect(await refusal.isVisible()).toBe(true)
    await page.getByRole('button', { name: 'Lock' }).click()
    await signIn(page)
    expect(await refusal.count()).toBe(0)
    await close()
  })

  it('shows no outcome of one person or channel beside another one', async () => {
    const { page, close } = await open('/orders')
    const outcome = { erased_count: 2, not_over: [], has_more: false }
    await page.route('**/recipients/erase', (route) => route.fulfill({ json: { data: outcome } }))
    await page.getByRole('button', { name: 'Erase a person' }).click()
    const dialog = page.getByRole('dialog')
    const name = dialog.getByRole('textbox', { name: 'Name' })
    await name.fill('Alex Lee')
    await dialog.getByRole('textbox', { name: 'Phone' }).fill('0255501234')
    await dialog.getByRole('button', { name: 'Erase a person' }).click()
    await dialog.getByText('Orders from which it was erased: 2.').waitFor()
    await name.fill('Robin Lee')
    await dialog.getByText('Orders from which it was erased: 2.').waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')

    await page.goto(`${house.url}/admin/channels`)
    const create = async () => {
      await page.getByRole('button', { name: 'New channel' }).first().click()
      return page.getByRole('textbox', { name: 'Code' })
    }
    const code = await create()
    await code.fill('no spaces')
    await page.getByRole('textbox', { name: 'Name' }).fill('Spaces')
    await page.getByRole('button', { name: 'Create the channel' }).click()
    await dialog.getByRole('alert').waitFor()
    await page.goBack()
    await dialog.waitFor({ state: 'detached' })
    expect(await (await create()).inputValue()).toBe('no spaces')
    expect(await dialog.getByRole('alert').count()).toBe(0)
    await close()
  })

  it('keeps what was typed while the page cannot be read again', async () => {
    const { channel_code } = await createWorld(house, { plan: 'reader' })
    const { page, close } = await open(`/channels/${channel_code}`)
    const name = page.getByRole('textbox', { name: 'Name' })
    await name.fill('Typed')
    await page.route(`**/admin/api/channels/${channel_code}`, (route) =>
      route.fulfill({ status: 500, body: '' }),
    )
    await page.waitForTimeout(5_500)
    await page.evaluate("dispatchEvent(new Event('visibilitychange'))")
    await page.getByText('HTTP 500').waitFor(failsWithin)
    expect(await name.inputValue()).toBe('Typed')
    await close()
  })

  it('says that the outcome is unknown if the response of a change breaks off, and stays until then', async () => {
    const { page, close } = await open('/upstream')
    let respond = () => {}
    const responded = new Promise<void>((done) => {
      respond = done
    })
    await page.route('**/admin/api/upstream/pause', async (route) => {
      await responded
      await route.fulfill({ status: 200, contentType: 'application/json', body: '{"data":' })
    })
    await page.getByRole('button', { name: 'Pause writes' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Pause writes' }).click()
    await page.keyboard.press('Escape')
    expect(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true)
    respond()
    await dialog.getByText('the outcome is unknown').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    await close()
  })

  it('asks what it asked at first when another operator pauses the channel meanwhile, and changes nothing', async () => {
    const { channel_code } = await createWorld(house, { plan: 'reader' })
    const { page, close } = await open(`/channels/${channel_code}`)
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await patchAsAdmin(`/channels/${channel_code}`, { paused: true })
    await page.waitForTimeout(5_500)
    await page.evaluate("dispatchEvent(new Event('visibilitychange'))")
    // Behind the dialog, the page has the change.
    await page.locator('.page-head').getByText('paused', { exact: true }).waitFor()
    await dialog.getByRole('button', { name: 'Pause', exact: true }).click()
    await dialog.getByText('expected_updated_at').waitFor()
    expect(await readAsAdmin(`/channels/${channel_code}`)).toMatchObject({ paused: true })
    await close()
  })

  it('ends the pause that its dialog showed, and none by another operator that has replaced it', async () => {
    const pauseAs = async (actor: string, reason: string) => {
      const given = {
        admin: adminToken,
        body: { seconds: 3_600, reason },
        headers: { 'x-admin-actor': actor },
      }
      const { paused_until } = expectData(await call(house, 'POST', '/admin/api/upstream/pause', given))
      return paused_until
    }
    const until = await pauseAs('Robin', 'ERP update')
    const { page, close } = await open('/upstream')
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Resume writes' }).click()
    for (const shown of ['Robin', 'ERP update']) await dialog.getByText(shown).waitFor()
    await dialog.locator(`time[datetime="${until}"]`).waitFor()
    house.clock.advance(1_000)
    const replaced = await pauseAs('Kim', 'Stock-taking')
    // Behind the dialog, the page has the change.
    await page.locator('.facts').getByText('Stock-taking').waitFor(failsWithin)
    await dialog.getByRole('button', { name: 'Resume writes' }).click()
    await dialog.getByText('expected_paused_at').waitFor()
    expect(await dialog.getByText('Stock-taking').count()).toBe(0)
    expect(await pausedUntil()).toBe(replaced)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Resume writes' }).click()
    await dialog.getByText('Stock-taking').waitFor()
    await dialog.getByRole('button', { name: 'Resume writes' }).click()
    await page.getByText('Writes to the ERP are paused until').waitFor({ state: 'detached' })
    expect(await pausedUntil()).toBe(null)
    await close()
  })

  it('settles the write that its dialog asked about, although a later one of the document is open meanwhile', async () => {
    const { page, close } = await open('/channels')
    const first = doubtOf('ord_00000000000000000000000000')
    const second = { ...first, sent_at: '2026-11-23T03:31:00.000Z' }
    let doubt = first
    await page.route('**/admin/api/writes-in-doubt', (route) => route.fulfill({ json: { data: [doubt] } }))
    const posted: unknown[] = []
    await page.route('**/settle', (route) => {
      posted.push(route.request().postDataJSON())
      return route.fulfill({ status: 404, body: '' })
    })
    await page.goto(`${house.url}/admin/unknown-outcomes`)
    await page.getByRole('button', { name: 'It is not in the ERP' }).click()
    const dialog = page.getByRole('dialog')
    doubt = second
    await page.waitForTimeout(5_500)
    await page.evaluate("dispatchEvent(new Event('visibilitychange'))")
    await page.locator(`time[datetime="${second.sent_at}"]`).waitFor()
    await dialog.getByRole('button', { name: 'It is not in the ERP' }).click()
    await dialog.getByText('HTTP 404').waitFor()
    expect(posted).toEqual([{ outcome: 'absent', reference: first.reference, sent_at: first.sent_at }])
    await close()
  })

  it('redelivers nothing while the list has a filter that a redelivery cannot have', async () => {
    const { page, close } = await open('/deliveries?type=webhook.test')
    expect(await page.getByRole('button', { name: 'Redeliver…' }).isDisabled()).toBe(true)
    await page.getByText('Redelivery cannot use the filter type = webhook.test.').waitFor()
    await page.goto(`${house.url}/admin/deliveries?type=order.created`)
    await page.getByRole('button', { name: 'Redeliver…' }).click()
    await page.getByText('Only where type = order.created').waitFor()
    await close()
  })

  it('stops a redelivery after the batch in which the operator stops it or leaves its page', async () => {
    const { page, close } = await open('/channels')
    let batches = 0
    let respond = () => {}
    const counts = { count: 100_000, has_more: false }
    await page.route('**/webhook-redeliveries/count', (route) => route.fulfill({ json: { data: counts } }))
    await page.route('**/webhook-redeliveries', async (route) => {
      batches += 1
      if (batches % 2 === 0) await new Promise<void>((done) => (respond = done))
      await route.fulfill({ json: { data: { redelivered: 500, remaining: 1_000 } } })
    })
    const dialog = page.getByRole('dialog')
    const start = async () => {
      await page.getByRole('button', { name: 'Redeliver…' }).click()
      await dialog.getByRole('button', { name: 'Count first' }).click()
      await dialog.getByRole('button', { name: 'Redeliver 100000' }).click()
      await dialog.getByText('500 sent again').waitFor()
      expect(await dialog.getByRole('link').count()).toBe(0)
    }
    await page.getByRole('link', { name: 'Dead letters' }).click()
    await start()
    await dialog.getByRole('button', { name: 'Stop' }).click()
    await page.keyboard.press('Escape')
    expect(await dialog.isVisible()).toBe(true)
    respond()
    await dialog.getByText('1000 sent again').waitFor()
    await dialog.getByRole('link').waitFor()
    expect(batches).toBe(2)
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await dialog.waitFor({ state: 'detached' })
    await start()
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Channels' }).waitFor()
    respond()
    await page.waitForTimeout(500)
    expect(batches).toBe(4)
    await close()
  })

  it('sends a batch whose response was lost again under its key, and every other one under its own', async () => {
    const { page, close } = await open('/dead-letters')
    const keys: (string | undefined)[] = []
    const counts = { count: 1_500, has_more: false }
    await page.route('**/webhook-redeliveries/count', (route) => route.fulfill({ json: { data: counts } }))
    await page.route('**/webhook-redeliveries', async (route) => {
      keys.push(route.request().headers()['idempotency-key'])
      if (keys.length === 2) return route.abort()
      const remaining = keys.length < 4 ? 1 : 0
      return route.fulfill({ json: { data: { redelivered: 500, remaining } } })
    })
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Redeliver…' }).click()
    await dialog.getByRole('button', { name: 'Count first' }).click()
    await dialog.getByRole('button', { name: 'Redeliver 1500' }).click()
    await dialog.getByText('OUTCOME_UNKNOWN').waitFor()
    await dialog.getByText('500 sent again').waitFor()
    await dialog.getByRole('button', { name: 'Try again' }).click()
    await dialog.getByText('1500 sent again').waitFor()
    const [first, lost, again, last] = keys
    expect(again).toBe(lost)
    expect(new Set([first, lost, last]).size).toBe(3)
    expect(keys).toHaveLength(4)
    await close()
  })

  it('confirms a count that ended at its bound as one without an upper bound', async () => {
    const { page, close } = await open('/deliveries')
    const confirmed: number[] = []
    const counts = { count: 7, has_more: true }
    await page.route('**/webhook-redeliveries/count', (route) => route.fulfill({ json: { data: counts } }))
    await page.route('**/webhook-redeliveries', (route) => {
      confirmed.push(route.request().postDataJSON().expected_count)
      const remaining = confirmed.length === 1 ? 12 : 0
      return route.fulfill({ json: { data: { redelivered: 500, remaining } } })
    })
    await page.getByRole('button', { name: 'Redeliver…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Count first' }).click()
    await dialog.getByRole('button', { name: 'Redeliver 7 or more' }).click()
    await dialog.getByText('1000 sent again').waitFor()
    expect(confirmed).toEqual([Number.MAX_SAFE_INTEGER, 12])
    await close()
  })

  it('counts again after a redelivery that would send more than was counted', async () => {
    const { page, close } = await open('/deliveries')
    const confirmed: number[] = []
    let count = 3
    await page.route('**/webhook-redeliveries/count', (route) =>
      route.fulfill({ json: { data: { count, has_more: false } } }),
    )
    await page.route('**/webhook-redeliveries', (route) => {
      confirmed.push(route.request().postDataJSON().expected_count)
      if (confirmed.length > 1) return route.fulfill({ json: { data: { redelivered: 8, remaining: 0 } } })
      count = 8
      const error = {
        code: 'VALIDATION_FAILED',
        message: 'The redelivery would send more than expected: 8, not 3.',
        hint: 'Nothing was sent.',
        param: 'expected_count',
        reason: 'invalid_state',
        count,
        request_id: 'req_grown',
      }
      return route.fulfill({ status: 422, json: { error } })
    })
    await page.getByRole('button', { name: 'Redeliver…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Count first' }).click()
    await dialog.getByRole('button', { name: 'Redeliver 3' }).click()
    await dialog.getByText('more than expected: 8, not 3').waitFor()
    expect(await dialog.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    await dialog.getByRole('button', { name: 'Count first' }).click()
    await dialog.getByRole('button', { name: 'Redeliver 8' }).click()
    await dialog.getByText('8 sent again').waitFor()
    expect(confirmed).toEqual([3, 8])
    await close()
  })

  it('says that the gateway is silent, and shows no badge as healthy then', async () => {
    const { page, close } = await open('/')
    await page.getByText('Writes on').waitFor()
    await page.route('**/statusz', (route) => route.abort())
    await page.getByText('The gateway has not responded since').waitFor(failsWithin)
    await page.getByText('Writes: unknown').waitFor()
    expect(await page.getByText('Writes on').count()).toBe(0)
    await close()
  })

  it('shows a stock copy that was never read first, and not as new', async () => {
    const { page, close } = await open('/channels')
    const read = Array.from({ length: 10 }, (_, n) => ({ warehouse_code: `A${n}`, age_seconds: 1 }))
    await page.route('**/admin/api/overview?*', async (route) => {
      const response = await route.fetch()
      const { data } = await response.json()
      const stock = [...read, { warehouse_code: 'ZNEVER', age_seconds: null }]
      await route.fulfill({ response, json: { data: { ...data, stock } } })
    })
    await page.goto(`${house.url}/admin/`)
    await page.locator('.stat', { hasText: 'Oldest stock copy' }).getByText('not read yet').waitFor()
    await page.locator('.bar-list li', { hasText: 'ZNEVER' }).getByText('not read yet').waitFor()
    await close()
  })

  it('shows the webhooks of an hour in the table as in the chart', async () => {
    const { page, close } = await open('/channels')
    await page.route('**/admin/api/overview?*', async (route) => {
      const response = await route.fetch()
      const { data } = await response.json()
      const [hour] = data.series
      const series = [{ ...hour, webhooks_delivered: 777, webhooks_failed: 333 }]
      await route.fulfill({ response, json: { data: { ...data, series } } })
    })
    await page.goto(`${house.url}/admin/`)
    await page.getByText('The hours as a table').click()
    const row = page.locator('.hours tbody tr')
    await row.getByRole('cell', { name: '777' }).waitFor()
    await row.getByRole('cell', { name: '333' }).waitFor()
    await page.getByRole('columnheader', { name: 'Webhooks: failed' }).waitFor()
    await close()
  })

  it('shows no answer about one number while it reads those about another one', async () => {
    const shop = openShop(house)
    const refused = buildDropship(await shop.createSku({ AUSYD1: 0 }), { client_order_number: 'NONE-1' })
    expectError(await shop.post('/dropship-orders/submit', refused), 'UPSTREAM_REJECTED')
    const { page, close } = await open('/orders?client_order_number=NONE-1')
    const named = page.getByRole('heading', { name: 'No order has this number' })
    await named.waitFor()
    const held: (() => void)[] = []
    await page.route('**/admin/api/{orders,requests}?*NONE-2*', async (route) => {
      await new Promise<void>((done) => held.push(done))
      await route.continue()
    })
    const number = page.getByRole('textbox', { name: 'Client’s number' })
    for (const step of ['orders', 'requests']) {
      if (step === 'orders') await number.fill('NONE-2')
      await number.press('Enter')
      await expect.poll(() => held.length).toBe(1)
      await page.locator('.loading').waitFor()
      expect(await named.count(), step).toBe(0)
      held.pop()?.()
    }
    await page.getByText('No orders match').waitFor()
    await close()
  })

  it('saves no other number than was typed, and keeps edits while another tab is shown', async () => {
    const { channel_code } = await createWorld(house, { plan: 'reader', points_per_minute: 900 })
    const { page, close } = await open(`/channels/${channel_code}`)
    const points = page.getByRole('textbox', { name: 'Points per 60 seconds' })
    const save = page.getByRole('button', { name: 'Save' })
    for (const typed of ['1200.5', '30']) {
      await points.clear()
      await points.pressSequentially(typed)
      await save.click()
      await page.getByRole('alert').getByText('points_per_minute').first().waitFor()
      expect(await points.inputValue()).toBe(typed)
      expect(await points.getAttribute('aria-invalid')).toBe('true')
    }
    await points.fill('1200')
    await page.getByRole('tab', { name: 'Tokens' }).click()
    await page.getByText('The tokens that are valid now.').waitFor()
    await page.getByRole('tab', { name: 'Permissions' }).click()
    expect(await points.inputValue()).toBe('1200')
    await save.click()
    await page.getByText('The channel is changed.').waitFor()
    expect(await readAsAdmin(`/channels/${channel_code}`)).toMatchObject({ points_per_minute: 1200 })
    await close()
  })

  it('asks before a page is left whose edits are not saved, and loses none of them if the operator stays', async () => {
    const { channel_code } = await createWorld(house, { plan: 'reader', points_per_minute: 900 })
    const { page, close } = await open('/channels')
    await page.getByRole('link', { name: channel_code, exact: true }).click()
    const points = page.getByRole('textbox', { name: 'Points per 60 seconds' })
    await points.fill('1200')
    const question = page.getByRole('dialog', { name: 'Leave this page?' })
    const leaveBy = [
      () => page.getByRole('link', { name: 'Requests' }).first().click(),
      () => page.evaluate('history.back()'),
    ]
    for (const leave of leaveBy) {
      await leave()
      await question.getByRole('button', { name: 'Stay' }).click()
      await question.waitFor({ state: 'detached' })
      expect(page.url()).toContain(`/channels/${channel_code}`)
      expect(await points.inputValue()).toBe('1200')
    }
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.evaluate('history.back()')
    await page.waitForURL('**/admin/channels')
    await close()
  })

  it('keeps a new secret until it is stored, also if the operator goes back', async () => {
    const { page, close } = await open('/')
    await page.getByRole('link', { name: 'Channels' }).first().click()
    await page.getByRole('button', { name: 'New channel' }).first().click()
    await page.getByRole('textbox', { name: 'Code' }).fill('gone-back')
    await page.getByRole('textbox', { name: 'Name' }).fill('Gone back')
    const { promise: asked, resolve: create } = Promise.withResolvers<void>()
    await page.route('**/admin/api/channels', async (route) => {
      await asked
      await route.continue()
    })
    await page.getByRole('button', { name: 'Create the channel' }).click()
    await page.evaluate('history.back()')
    await page.waitForURL('**/admin/channels')
    await page.evaluate('history.back()')
    await page.waitForURL('**/admin/')
    await page.waitForURL('**/admin/channels')
    create()
    const secret = page.locator('.credential').nth(1)
    await secret.waitFor()
    await page.evaluate('history.go(-2)')
    const question = page.getByRole('dialog', { name: 'Leave this page?' })
    await question.getByRole('button', { name: 'Stay' }).click()
    await question.waitFor({ state: 'detached' })
    expect(await secret.textContent()).not.toBe('')
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await secret.waitFor({ state: 'detached' })
    await close()
  })

  it('refuses a token that no header can carry, and takes the right one then', async () => {
    const { page, close } = await openPage(browser, house.url, { locale: 'en-GB' })
    await page.goto(`${house.url}/admin`)
    await page.getByRole('textbox', { name: 'Your name' }).fill('Mina Park')
    await page.getByRole('textbox', { name: 'Admin token' }).fill(`“${adminToken}”`)
    await page.keyboard.press('Enter')
    await page.getByText('a character that cannot be sent').waitFor()
    await signIn(page)
    await close()
  })

  it('leaves the focus in a filter that applies, whose text follows the address', async () => {
    const { page, close } = await open('/holds')
    const sku = page.getByRole('textbox', { name: 'SKU' })
    await sku.fill(' SBX-1 ')
    await sku.press('Enter')
    await page.waitForURL('**/holds?sku=SBX-1')
    await page.getByText('No holds match').waitFor()
    expect(await hasFocus(sku)).toBe(true)
    expect(await sku.inputValue()).toBe('SBX-1')
    const state = page.getByRole('combobox', { name: 'State' })
    for (const key of ['Enter', 'ArrowDown', 'Enter']) await state.press(key)
    await page.waitForURL('**/holds?*status=*')
    expect(await hasFocus(state)).toBe(true)
    await page.goBack()
    await page.goBack()
    await expect.poll(() => sku.inputValue()).toBe('')
    await page.goForward()
    await page.getByRole('button', { name: 'Clear the filters' }).press('Enter')
    await page.waitForURL('**/holds')
    expect(await sku.inputValue()).toBe('')
    expect(await hasFocus(page.getByRole('search'))).toBe(true)
    await close()
  })

  it.each(['Asia/Shanghai', 'America/New_York'])(
    'names in %s the UTC days of votes, and the end of legacy tokens in UTC, once it is over in the past',
    async (timezoneId) => {
      const { page, close } = await open('/channels', { timezoneId })
      const votes = { helpful: 1, unclear: 0, incomplete: 0, wrong: 0, other: 0 }
      const rated = { page: '/docs', ...votes, last_at: '2026-11-23T00:00:00.000Z' }
      await page.route('**/admin/api/feedback', (route) => route.fulfill({ json: { data: [rated] } }))
      await page.goto(`${house.url}/admin/feedback`)
      await page.getByRole('cell', { name: '23 Nov 2026', exact: true }).waitFor()
      const end = '30 Nov 2026, 23:59:59 UTC'
      await page.clock.setFixedTime(Date.UTC(2026, 10, 30, 23, 59, 58))
      await page.goto(`${house.url}/admin/legacy`)
      await page.getByText(`Legacy tokens end on ${end}`).waitFor()
      await page.clock.setFixedTime(Date.UTC(2026, 11, 1))
      await page.reload()
      await page.getByText(`Legacy tokens ended on ${end}`).waitFor()
      await close()
    },
  )

  it('shows from which address a call came and the query of a read, and neither where it is not known', async () => {
    const { channel_code } = await createWorld(house, { plan: 'reader' })
    const query = `channel_code=${channel_code}&page_size=7`
    await readAsAdmin(`/orders?${query}`)
    const reads = await readAsAdmin('/audit?page_size=100&action=admin.orders.list')
    const row = reads.find((each: LooseJson) => each.query === query)
    const { page, close } = await open('/channels')
    const show = async (known: object) => {
      const data = { ...row, address: null, query: null, ...known }
      await page.route(`**/admin/api/audit/${row?.audit_id}`, (route) => route.fulfill({ json: { data } }))
      await page.goto(`${house.url}/admin/audit/${row?.audit_id}`)
      await page.locator('dd').getByText('admin.orders.list', { exact: true }).waitFor()
      return await page.locator('dd').allTextContents()
    }
    expect(row?.query).toBe(query)
    const shown = await show({ address: '203.0.113.7', query })
    expect(shown).toEqual(expect.arrayContaining(['203.0.113.7', query]))
    expect(await show({})).toHaveLength(shown.length - 2)
    await close()
  })

  it('goes through more locked accounts than a page has', async () => {
    const { page, close } = await open('/locked-accounts')
    await page.route('**/admin/api/lockouts?*', async (route) => {
      const isSecond = route.request().url().includes('cursor=second')
      await route.fulfill({
        json: { data: [lockoutOf(isSecond ? 51 : 1)], next_cursor: isSecond ? null : 'second' },
      })
    })
    await page.reload()
    await page.getByText('buyer-1', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('buyer-51', { exact: true }).waitFor()
    await close()
  })

  it('filters by the typed code of a channel that is not in its list, such as a deleted one', async () => {
    const { page, close } = await open('/requests')
    await page.getByRole('combobox', { name: 'Channel' }).fill('gone-shop')
    await page.getByRole('option', { name: 'gone-shop', exact: true }).click()
    await page.waitForURL('**/requests?channel_code=gone-shop')
    await close()
  })

  it('leaves a time filter as it is when the focus passes through it', async () => {
    const path = '/requests?since=2026-11-23T03%3A26%3A41.123Z'
    const { page, close } = await open(path)
    const { search } = new URL(page.url())
    await page.getByLabel('From').focus()
    await page.getByLabel('Before').focus()
    await page.getByRole('link', { name: 'Skip to the content' }).focus()
    expect(new URL(page.url()).search).toBe(search)
    await close()
  })

  it('locks after an hour by the wall clock, at the first key and after a restart of the tab', async () => {
    const { page, close } = await open('/channels')
    await page.clock.setFixedTime(Date.now() + hourMs + 1)
    await page.keyboard.press('j')
    await page.getByText('locked after an hour').waitFor()
    await signIn(page)
    await page.evaluate(
      "sessionStorage.setItem('trade-gateway-console', JSON.stringify({ ...JSON.parse(sessionStorage.getItem('trade-gateway-console')), usedAt: 0 }))",
    )
    await page.reload()
    await page.getByText('locked after an hour').waitFor()
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).not.toContain(adminToken)
    await close()
  })

  it('passes axe with a dialog open', async () => {
    const { page, close } = await open('/upstream')
    await page.getByRole('button', { name: 'Pause writes' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).waitFor()
    expect(await findAxeViolations(page)).toEqual([])
    await close()
  })

  it('turns single keys off for good, and on again', async () => {
    const { page, close } = await open('/')
    const sheet = page.getByRole('dialog').getByRole('switch', { name: 'Single-key shortcuts' })
    await page.keyboard.press('?')
    await sheet.uncheck()
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await page.keyboard.press('?')
    await page.keyboard.press('g')
    await page.keyboard.press('c')
    await page.waitForTimeout(500)
    expect(await sheet.count()).toBe(0)
    expect(new URL(page.url()).pathname).toBe('/admin/')
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('Request id').fill('Keyboard')
    await page.getByRole('button', { name: 'Keyboard', exact: true }).click()
    await sheet.check()
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    await page.keyboard.press('g')
    await page.keyboard.press('c')
    await page.getByRole('heading', { level: 1, name: 'Channels' }).waitFor()
    await close()
  })
})

async function signIn(page: Page) {
  await page.getByRole('textbox', { name: 'Admin token' }).fill(adminToken)
  await page.getByRole('textbox', { name: 'Your name' }).fill('Mina Park')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation').waitFor()
}

/** Lets a call reach the gateway, and loses its response. */
async function loseResponse(route: Route) {
  await route.fetch()
  await route.abort()
}

const hasFocus = (target: Locator) => target.evaluate((element) => element.matches(':focus'))

const doubtOf = (id: string) => ({
  document_id: id,
  kind: id.startsWith('ord_') ? 'order.submit' : 'reservation.create',
  reference: `of ${id}`,
  channel_code: 'kr-mall',
  client_order_number: null,
  request_id: 'req_00000000000000000000000000',
  sent_at: '2026-11-23T03:26:00.000Z',
  looked_up_at: null,
  settled_by: 'person',
})

const lockoutOf = (n: number) => ({
  lockout_id: `lock_${n}`,
  kind: 'account',
  username_hint: `buyer-${n}`,
  address: null,
  failures: 5,
  last_failed_at: '2026-11-23T03:26:00.000Z',
  locked_until: '2026-11-23T03:41:00.000Z',
})
