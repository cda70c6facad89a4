/**
 * An operator's day in the real console: a browser walks it against a gateway with its workers and the sandbox ERP, on
 * the embedded store, and on PostgreSQL too if TEST_DATABASE_URL is set. Each step is checked on the page and at the
 * API. Runs with TEST_BROWSER=1.
 */

import type { Erp } from '@trade-gateway/connector'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { jsonLog } from '../../src/kernel/log.ts'
import { startConsoleBuild } from '../../src/start/console.ts'
import { retryDelaysMs } from '../../src/webhooks/schedule.ts'
import { startWorkers } from '../../src/workers.ts'
import { plantCanaries } from '../canaries.ts'
import {
  adminToken,
  buyers,
  type CallInit,
  call,
  createWorld,
  type LooseJson,
  openTestGateway,
  readTestDatabaseUrl,
  type TestGateway,
} from '../harness.ts'
import { openReceiver, privateNets, type Receiver, registerEndpoint } from '../receiver.ts'
import {
  alex,
  type Buyer,
  buildDropship,
  createOrderNumber,
  expectData,
  expectError,
  listErpDocuments,
  openSecondGateway,
  openShop,
} from '../trade.ts'
import { launchChromium, openPage, patienceMs, why } from './chromium.ts'

/** A text that would open a dialog and break the policy of the page if it were HTML. */
const script = '<img src=x onerror=alert(1)>'
/** By when a change must apply in every process. */
const soonMs = 1_000
/** How often a condition is looked at that may take a while on a busy machine. */
const patience = { timeout: 30_000, interval: 50 }
const maxTabs = 60

const stores = [
  { store: 'the embedded store', isEmbedded: true },
  ...(readTestDatabaseUrl() === undefined ? [] : [{ store: 'PostgreSQL', isEmbedded: false }]),
]

/** An ERP without look-ups, whose name and states contain HTML. */
const wrapErp = (erp: Erp): Erp => ({
  ...erp,
  async describe(input, options) {
    const answer = await erp.describe(input, options)
    return 'ok' in answer ? { ok: { ...answer.ok, name: script } } : answer
  },
  async 'documents.read'(input, options) {
    const answer = await erp['documents.read'](input, options)
    if (!('ok' in answer)) return answer
    const documents = answer.ok.documents.map((document) => ({ ...document, status_raw: script }))
    return { ok: { ...answer.ok, documents } }
  },
})

describe.skipIf(why !== undefined).each(stores)(
  'an operator’s day on $store',
  { timeout: patienceMs },
  ({ isEmbedded }) => {
    let house: TestGateway
    let stopWorkers: () => Promise<void>
    let browser: Browser
    let page: Page
    let offences: string[]
    let shop: Buyer
    let receiver: Receiver

    beforeAll(async () => {
      await startConsoleBuild(jsonLog('error')).done
      house = await openTestGateway({
        isEmbedded,
        settings: privateNets,
        capabilities: { lookup: 'none', settles: false },
        wrapErp,
      })
      stopWorkers = startWorkers(house.gateway)
      shop = openShop(house)
      receiver = await openReceiver()
      await registerEndpoint(house, await shop.token(), receiver.url)
      browser = await launchChromium()
      const opened = await openPage(browser, house.url, { viewport: { width: 1280, height: 900 } })
      page = opened.page
      offences = opened.offences
      await page.goto(`${house.url}/admin`)
      await signIn(page)
    }, patienceMs)
    afterEach(() => expect(offences.splice(0)).toEqual([]))
    afterAll(async () => {
      await browser.close()
      await stopWorkers()
      await receiver.close()
      await house.close()
    })

    const sendAsAdmin = (method: string, path: string, init: CallInit = {}) =>
      call(house, method, `/admin/api${path}`, { admin: adminToken, ...init })
    const readAsAdmin = async (path: string): Promise<LooseJson> => expectData(await sendAsAdmin('GET', path))
    const listAsAdmin = async (path: string): Promise<LooseJson[]> =>
      (await sendAsAdmin('GET', path)).json.data
    const requestToken = (body: LooseJson) => call(house, 'POST', '/api/v1/auth/token', { body })

    /** Opens a page of the console in the tab that is signed in. */
    async function open(path: string) {
      await page.goto(`${house.url}/admin${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
    }

    /** Finds the row of a list that contains a text. */
    const row = (text: string) => page.getByRole('row').filter({ hasText: text })

    /** Presses a button and confirms its dialog. */
    async function confirm(within: Page | Locator, name: string) {
      await within.getByRole('button', { name, exact: true }).click()
      await page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }

    /** Fails the deliveries of an order's event until the schedule ends, and returns the dead letter's id. */
    async function makeDeadLetter(requestId: string): Promise<string> {
      receiver.usual = 500
      const order = buildDropship(await shop.createSku())
      expectData(await shop.post('/dropship-orders/submit', order, { 'x-request-id': requestId }))
      const find = async () =>
        (await readAsAdmin(`/requests/${requestId}`)).events.flatMap(
          ({ deliveries }: LooseJson) => deliveries,
        )[0]
      for (const [failures, delayMs] of retryDelaysMs.entries()) {
        await expect.poll(async () => (await find())?.attempts, patience).toBe(failures + 1)
        house.clock.advance(delayMs)
      }
      await expect.poll(async () => (await find()).status, patience).toBe('dead_letter')
      return (await find()).delivery_id
    }

    it('onboards a channel whose secret is shown once, and the secret works', async () => {
      await open('/channels')
      await page.getByRole('button', { name: 'New channel' }).first().click()
      await page.getByRole('textbox', { name: 'Code' }).fill('corner-shop')
      await page.getByRole('textbox', { name: 'Name' }).fill(script)
      await page.getByRole('button', { name: 'Create the channel' }).click()
      await page.locator('.credential').nth(1).waitFor()
      const [client_id, client_secret = ''] = await page.locator('.credential').allTextContents()
      plantCanaries(client_secret)
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'I have stored it' }).click()
      await page.getByRole('cell', { name: script }).waitFor()
      await open('/channels/corner-shop?tab=secrets')
      await page.getByRole('row').nth(1).waitFor()
      expect(await page.content()).not.toContain(client_secret)

      const shown = await sendAsAdmin('GET', '/channels/corner-shop')
      expect(shown.json.data).toMatchObject({ name: script, plan: 'reader' })
      expect(shown.text).not.toContain(client_secret)
      const { status, json } = await requestToken({
        grant_type: 'client_credentials',
        client_id,
        client_secret,
      })
      expect(status).toBe(200)
      const stock = await call(house, 'GET', '/api/v1/warehouses/AUSYD1/stock?page_size=1', {
        token: json.access_token,
      })
      expect(stock.json.data).toHaveLength(1)
    })

    it('approves a plan, and a live token gains the capability within a second', async () => {
      const { token, channel_code } = await createWorld(house, { plan: 'reader' })
      const read = () => call(house, 'GET', '/api/v1/webhook-endpoints', { token })
      expectError(await read(), 'SCOPE_DENIED')
      const body = { plan: 'trader', reason: script }
      expectData(await call(house, 'POST', '/api/v1/plan-requests', { token, body }), 201)
      await open('/plan-requests')
      await row(channel_code).getByRole('cell', { name: script }).waitFor()
      await confirm(row(channel_code), 'Approve')
      await expect.poll(async () => (await read()).status, { timeout: soonMs, interval: 50 }).toBe(200)
      await row(channel_code).getByText('approved').waitFor()
      expect(await readAsAdmin(`/channels/${channel_code}`)).toMatchObject({ plan: 'trader' })
    })

    it('finds a failed request by its id, with what the ERP said', async () => {
      const sold = buildDropship(await shop.createSku({ AUSYD1: 0 }))
      const headers = { 'x-request-id': 'WEB-77-refused' }
      expectError(await shop.post('/dropship-orders/submit', sold, headers), 'UPSTREAM_REJECTED')
      await open('/')
      await page.keyboard.press('Control+k')
      await page.getByPlaceholder('Request id').fill('WEB-77-refused')
      await page.getByRole('button', { name: 'Request WEB-77-refused' }).click()
      await page.getByRole('heading', { level: 2 }).filter({ hasText: 'UPSTREAM_REJECTED' }).waitFor()
      await page.getByText('rejected: insufficient_stock').waitFor()
      const { requests } = await readAsAdmin('/requests/WEB-77-refused')
      expect(requests[0].upstream_calls.at(-1)).toMatchObject({ rejection_reason: 'insufficient_stock' })
    })

    it('finds a refused order by the client’s number, which no order has', async () => {
      const wish = buildDropship(await shop.createSku({ AUSYD1: 0 }), { client_order_number: 'WEB-77' })
      expectError(await shop.post('/dropship-orders/submit', wish), 'UPSTREAM_REJECTED')
      await open('/')
      await page.keyboard.press('Control+k')
      await page.getByPlaceholder('Request id').fill('WEB-77')
      await page.getByRole('button', { name: 'Order with the client’s number WEB-77' }).click()
      await page.getByRole('heading', { name: 'No order has this number' }).waitFor()
      await page.getByRole('row').nth(1).click()
      await page.getByRole('heading', { level: 2 }).filter({ hasText: 'UPSTREAM_REJECTED' }).waitFor()
      await page.getByRole('link', { name: 'WEB-77', exact: true }).waitFor()
    })

    it('shows one SKU at the gateway beside the ERP, and starts the full compare', async () => {
      const sku = await shop.createSku({ AUSYD1: 4 })
      await open('/')
      await page.keyboard.press('Control+k')
      await page.getByPlaceholder('Request id').fill(sku)
      await page.getByRole('button', { name: `Stock of SKU ${sku}` }).click()
      const figures = page.getByRole('table', { name: sku }).getByRole('row').filter({ hasText: 'AUSYD1' })
      await figures.getByText('same').waitFor()
      await confirm(figures, 'Compare')
      await figures.getByText('requested').waitFor()
    })

    it('turns a list round and remembers the chosen columns', async () => {
      await open('/requests')
      await page.getByRole('button', { name: 'Newest first' }).click()
      await page.locator('th[aria-sort=ascending]').waitFor()
      await page.getByRole('button', { name: 'Columns' }).click()
      await page.getByRole('menuitemcheckbox', { name: 'Points' }).click()
      await page.getByRole('menuitemcheckbox', { name: 'Client’s number' }).click()
      await page.reload()
      await page.getByRole('columnheader', { name: 'Client’s number' }).waitFor()
      expect(await page.getByRole('columnheader', { name: 'Points' }).count()).toBe(0)
      await page.locator('th[aria-sort=ascending]').waitFor()
    })

    it('redelivers a dead letter to a receiver that works again', async () => {
      const id = await makeDeadLetter('WEB-78-dead')
      receiver.usual = 200
      const before = receiver.received.length
      await open('/dead-letters')
      await page.getByRole('row').nth(1).click()
      await page.getByText(id).first().waitFor()
      await confirm(page, 'Redeliver')
      await page.locator('dd').getByText('delivered', { exact: true }).waitFor()
      expect(await readAsAdmin(`/webhook-deliveries/${id}`)).toMatchObject({
        status: 'delivered',
        last_status: 200,
      })
      expect(receiver.received).toHaveLength(before + 1)
      await open('/dead-letters')
      await page.getByText('No dead letters').waitFor()
    })

    it('unlocks an account that five wrong passwords locked', async () => {
      const [, { username, password }] = buyers
      await openShop(house, buyers[1]).token()
      const signInBuyer = (with_password: string) =>
        requestToken({ grant_type: 'password', username, password: with_password })
      for (let time = 0; time < 5; time++) await signInBuyer('wrong')
      expectError(await signInBuyer(password), 'AUTH_LOCKED')
      const [lockout] = await listAsAdmin('/lockouts')
      await open('/locked-accounts')
      await confirm(row(lockout?.username_hint), 'Unlock')
      await page.getByText('Nobody is locked out').waitFor()
      expect(await listAsAdmin('/lockouts')).toEqual([])
      expect((await signInBuyer(password)).status).toBe(200)
    })

    it('releases the hold of a preview, and the stock is for sale again', async () => {
      const sku = await shop.createSku({ AUSYD1: 3 })
      const wish = buildDropship(sku)
      const preview = expectData(await shop.post('/dropship-orders/allocation-preview', wish))
      await expect.poll(() => shop.readAvailable(sku), patience).toBe(2)
      await open(`/holds?sku=${sku}`)
      await confirm(row(sku), 'Release')
      await row(sku).getByText('released').waitFor()
      const [hold] = await listAsAdmin(`/holds?sku=${sku}`)
      expect(hold).toMatchObject({ hold_id: preview.hold.hold_id, status: 'cancelled' })
      await expect.poll(() => shop.readAvailable(sku), patience).toBe(3)
    })

    it('settles a write of unknown outcome after a look into the ERP', async () => {
      const wish = buildDropship(await shop.createSku())
      const headers = { 'idempotency-key': 'walk-lost', 'x-sandbox-fault': 'UPSTREAM_ERROR;after=commit' }
      expectError(await shop.post('/dropship-orders/submit', wish, headers), 'UPSTREAM_ERROR')
      expect(listErpDocuments(house, wish.client_order_number)).toHaveLength(1)
      const [doubt] = await listAsAdmin('/writes-in-doubt')
      expect(doubt).toMatchObject({ settled_by: 'person' })
      await open('/unknown-outcomes')
      await confirm(row(doubt?.reference), 'It is in the ERP')
      await page.getByText('Every outcome is known').waitFor()
      expect(await listAsAdmin('/writes-in-doubt')).toEqual([])
      const again = await shop.post('/dropship-orders/submit', wish, { 'idempotency-key': 'walk-lost' })
      expect(expectData(again)).toMatchObject({ dropship_order_id: doubt?.document_id, in_doubt: false })
      expect(listErpDocuments(house, wish.client_order_number)).toHaveLength(1)
    })

    it('asks of a void whether it took effect, and settles one that did', async () => {
      const order = buildDropship(await shop.createSku())
      const { dropship_order_id: id } = expectData(await shop.post('/dropship-orders/submit', order))
      const headers = { 'idempotency-key': 'walk-void', 'x-sandbox-fault': 'UPSTREAM_ERROR;after=commit' }
      expectError(await shop.send('DELETE', `/dropship-orders/${id}`, { headers }), 'UPSTREAM_ERROR')
      const [doubt] = await listAsAdmin('/writes-in-doubt')
      expect(doubt).toMatchObject({ kind: 'dropship.void', document_id: id })
      await open(`/orders/${id}`)
      await page.getByText('Outcome unknown: void of a drop-ship order').waitFor()
      await page.getByRole('button', { name: 'It did not take effect' }).waitFor()
      await open('/unknown-outcomes')
      await row(doubt?.reference).getByText('void of a drop-ship order').waitFor()
      // The ERP has the order in any case, so that the question would lead to a wrong answer.
      expect(await page.getByRole('button', { name: 'in the ERP' }).count()).toBe(0)
      await confirm(row(doubt?.reference), 'It took effect')
      await page.getByText('Every outcome is known').waitFor()
      expect((await readAsAdmin(`/orders/${id}`)).dropship_order).toMatchObject({ status: 'cancelled' })
    })

    it('pauses writes, tells everybody, and resumes them', async () => {
      const wish = buildDropship(await shop.createSku())
      const submit = () => shop.post('/dropship-orders/submit', wish)
      await open('/upstream')
      await page.getByRole('button', { name: 'Pause writes' }).click()
      await page.getByRole('textbox', { name: 'Reason' }).fill('ERP update')
      await page.getByRole('dialog').getByRole('button', { name: 'Pause writes' }).click()
      await page.getByText('Writes to the ERP are paused until').waitFor()
      expectError(await submit(), 'READ_ONLY_MODE')
      expect((await readAsAdmin('/upstream')).writes).toMatchObject({
        paused_by: 'Mina Park',
        reason: 'ERP update',
      })
      await confirm(page, 'Resume writes')
      await page.getByText('Writes to the ERP are paused until').waitFor({ state: 'detached' })
      expectData(await submit())
      expect((await readAsAdmin('/upstream')).writes.paused_until).toBe(null)
    })

    it('verifies the audit log, which has each of these changes with who made it', async () => {
      await open('/audit')
      await page.getByRole('button', { name: 'Verify' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Verify' }).click()
      await page.getByText('The log is intact').waitFor()
      const { ok } = expectData(await sendAsAdmin('POST', '/audit/verification', { body: {} }))
      expect(ok).toBe(true)
      const made = await listAsAdmin('/audit?actor=Mina%20Park&page_size=200')
      expect(made.map(({ action }) => action)).toEqual(
        expect.arrayContaining(['admin.channels.create', 'admin.holds.delete', 'admin.doubts.settle']),
      )
    })

    it('shows script in a number of a client and in texts of the ERP as text', async () => {
      const number = `${script} ${createOrderNumber()}`
      const wish = buildDropship(await shop.createSku(), { client_order_number: number, remark: script })
      const { dropship_order_id } = expectData(await shop.post('/dropship-orders/submit', wish))
      const read = () => readAsAdmin(`/orders/${dropship_order_id}`)
      await expect.poll(async () => (await read()).dropship_order.status_raw, patience).toBe(script)
      await open('/orders')
      await row(number).click()
      await page.getByText(dropship_order_id).first().waitFor()
      await page.locator('dd').getByText(number, { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Show the recipient' }).click()
      await page.locator('dd').getByText(script, { exact: true }).nth(1).waitFor()
      await open('/upstream')
      await page.locator('dd').getByText(script, { exact: true }).waitFor()
      expect((await read()).dropship_order).toMatchObject({ client_order_number: number, remark: script })
      expect((await readAsAdmin('/upstream')).name).toBe(script)
    })

    it('covers the recipient and the remark of the next order, also if those of the one before were shown', async () => {
      const remark = 'Leave it with the neighbour'
      const place = async () => {
        const order = buildDropship(await shop.createSku(), { remark })
        return String(expectData(await shop.post('/dropship-orders/submit', order)).dropship_order_id)
      }
      const [first, second] = [await place(), await place()]
      await open(`/orders/${first}`)
      await page.getByRole('button', { name: 'Show the recipient' }).waitFor()
      expect(await page.getByText(remark).count()).toBe(0)
      await page.getByRole('button', { name: 'Show the recipient' }).click()
      await page.getByText(alex.address).waitFor()
      await page.getByText(remark).waitFor()
      await page.keyboard.press('Control+k')
      await page.getByPlaceholder('Request id').fill(second)
      await page.getByRole('button', { name: second }).first().click()
      await page.waitForURL(`**/orders/${second}`)
      await page.getByText(second).first().waitFor()
      await page.getByRole('button', { name: 'Show the recipient' }).waitFor()
      expect(await page.getByText(alex.address).or(page.getByText(remark)).count()).toBe(0)
    })

    it('tells a second operator of the same channel, and overwrites nothing', async () => {
      const { channel_code } = await createWorld(house, { plan: 'reader' })
      await open(`/channels/${channel_code}`)
      const name = page.getByRole('textbox', { name: 'Name' })
      await name.fill('Mine')
      const theirs = { name: 'Theirs', points_per_minute: 900 }
      expectData(await sendAsAdmin('PATCH', `/channels/${channel_code}`, { body: theirs }))
      const save = page.getByRole('button', { name: 'Save' })
      // Chromium reports a refused call as an error of the page.
      const reported = page.waitForEvent('console', (message) => message.text().includes('422'))
      await save.click()
      await reported
      expect(offences.splice(0)).toHaveLength(1)
      const conflict = page.getByRole('alert').filter({ hasText: 'Somebody else changed this channel' })
      await conflict.waitFor()
      expect(await readAsAdmin(`/channels/${channel_code}`)).toMatchObject(theirs)
      await page.getByRole('button', { name: 'Take over the current values' }).click()
      await expect.poll(() => name.inputValue(), patience).toBe('Theirs')
      await name.fill('Mine')
      await save.click()
      await page.getByText('The channel is changed.').waitFor()
      expect(await readAsAdmin(`/channels/${channel_code}`)).toMatchObject({ ...theirs, name: 'Mine' })
    })

    it('is walked by the keyboard alone', async () => {
      const id = await makeDeadLetter('WEB-79-dead')
      receiver.usual = 200
      const opened = await openPage(browser, house.url, { viewport: { width: 1280, height: 900 } })
      const former = page
      page = opened.page
      await page.goto(`${house.url}/admin`)
      await tabTo(page, page.getByRole('textbox', { name: 'Admin token' }))
      await page.keyboard.type(adminToken)
      await tabTo(page, page.getByRole('textbox', { name: 'Your name' }))
      await page.keyboard.type('Mina Park')
      await page.keyboard.press('Enter')
      await page.getByRole('navigation').waitFor()

      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
      await page.keyboard.press('Control+k')
      await expect.poll(() => hasFocus(page.getByPlaceholder('Request id')), patience).toBe(true)
      await page.keyboard.type('WEB-79-dead')
      await page.getByRole('button', { name: 'Request WEB-79-dead' }).waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 2 }).filter({ hasText: 'dropship-orders/submit' }).waitFor()
      await page.getByPlaceholder('Request id').waitFor({ state: 'detached' })
      await skipTo(page, page.getByRole('main').getByRole('link', { name: 'Requests' }))
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor()

      await page.keyboard.press('g')
      await page.keyboard.press('x')
      await row('order.created').waitFor()
      await page.keyboard.press('j')
      await page.keyboard.press('Enter')
      await page.getByText(id).first().waitFor()
      await skipTo(page, page.getByRole('button', { name: 'Redeliver' }))
      await page.keyboard.press('Enter')
      await tabTo(page, page.getByRole('dialog').getByRole('button', { name: 'Redeliver' }))
      await page.keyboard.press('Enter')
      await page.locator('dd').getByText('delivered', { exact: true }).waitFor()
      expect((await readAsAdmin(`/webhook-deliveries/${id}`)).status).toBe('delivered')
      expect(opened.offences).toEqual([])
      await opened.close()
      page = former
    })

    it('explains how to set ADMIN_TOKEN where it is not set', async () => {
      const closed = await openSecondGateway(house, { ADMIN_TOKEN: '' })
      const opened = await openPage(browser, closed.url)
      await opened.page.goto(`${closed.url}/admin`)
      await opened.page.getByRole('heading', { name: 'The console is disabled' }).waitFor()
      await opened.page.getByText('ADMIN_TOKEN=').waitFor()
      expect(await opened.page.getByRole('textbox').count()).toBe(0)
      expectError(await call(closed, 'GET', '/admin/api/channels', { admin: adminToken }), 'ADMIN_DISABLED')
      expect(opened.offences).toEqual([])
      await opened.close()
      await closed.close()
    })
  },
)

async function signIn(page: Page) {
  await page.getByRole('textbox', { name: 'Admin token' }).fill(adminToken)
  await page.getByRole('textbox', { name: 'Your name' }).fill('Mina Park')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation').waitFor()
}

const hasFocus = (target: Locator) => target.evaluate((element) => element.matches(':focus'))

/** Moves the focus with the tabulator until an element has it. */
async function tabTo(page: Page, target: Locator) {
  await target.waitFor()
  for (let tabs = 0; tabs < maxTabs; tabs++) {
    if (await hasFocus(target)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`The keyboard does not reach ${target}.`)
}

/** Skips the menu and moves the focus to an element of the content. */
async function skipTo(page: Page, target: Locator) {
  await target.waitFor()
  await tabTo(page, page.getByRole('link', { name: 'Skip to the content' }))
  await page.keyboard.press('Enter')
  await tabTo(page, target)
}
