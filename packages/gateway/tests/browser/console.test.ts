/**
 * The operators' console in a real browser against a real gateway: it signs in, opens every page without an error or a
 * violation of its policy, and passes the accessibility checks. Runs with TEST_BROWSER=1.
 */

import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toRecord } from '../../src/kernel/json.ts'
import { jsonLog } from '../../src/kernel/log.ts'
import { startConsoleBuild } from '../../src/start/console.ts'
import { adminToken, openTestGateway, type TestGateway } from '../harness.ts'
import { findAxeViolations, launchChromium, openPage, patienceMs, readPaints, why } from './chromium.ts'

/** The pages of the menu, with their headings. */
const pages = [
  ['/', 'Overview'],
  ['/requests', 'Requests'],
  ['/orders', 'Orders'],
  ['/unknown-outcomes', 'Unknown outcomes'],
  ['/holds', 'Holds'],
  ['/channels', 'Channels'],
  ['/plan-requests', 'Plan requests'],
  ['/locked-accounts', 'Locked accounts'],
  ['/legacy', 'Legacy use'],
  ['/feedback', 'Feedback on the docs'],
  ['/webhooks', 'Webhook endpoints'],
  ['/deliveries', 'Deliveries'],
  ['/dead-letters', 'Dead letters'],
  ['/upstream', 'ERP connection'],
  ['/stock', 'Stock copies'],
  ['/audit', 'Audit log'],
  ['/settings', 'Settings'],
] as const

const maxScriptBytes = 350 * 1024

describe.skipIf(why !== undefined)('the console in a browser', { timeout: patienceMs }, () => {
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

  const open = (options: BrowserContextOptions = {}) => openPage(browser, house.url, options)

  async function signIn(page: Page, path = '/') {
    await page.goto(`${house.url}/admin${path}`)
    await page.getByRole('textbox', { name: 'Admin token' }).fill(adminToken)
    await page.getByRole('textbox', { name: 'Your name' }).fill('Mina Park')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('navigation').waitFor()
  }

  /** Waits until a page has its heading and no placeholder. */
  async function waitForPage(page: Page, heading: string) {
    await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()
    await page.locator('.loading').first().waitFor({ state: 'detached' })
  }

  it.each([
    ['a desk, light', { viewport: { width: 1440, height: 900 }, colorScheme: 'light' }],
    ['a phone, dark', { viewport: { width: 390, height: 800 }, colorScheme: 'dark' }],
  ] as const)(
    'on %s, every page opens without an error, fits the screen and passes axe',
    async (_name, form) => {
      const { page, offences, close } = await open({ ...form, locale: 'en-GB' })
      await page.goto(`${house.url}/admin`)
      await page.getByRole('button', { name: 'Sign in' }).waitFor()
      const found = await findAxeViolations(page)
      await page.getByRole('textbox', { name: 'Admin token' }).fill(adminToken)
      await page.getByRole('textbox', { name: 'Your name' }).fill('Mina Park')
      await page.getByRole('button', { name: 'Sign in' }).click()
      for (const [path, heading] of pages) {
        await page.goto(`${house.url}/admin${path}`)
        await waitForPage(page, heading)
        const width = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        if (Number(width) > 0) found.push(`${path} is ${width} px too wide`)
        for (const violation of await findAxeViolations(page)) found.push(`${path}: ${violation}`)
      }
      expect(found).toEqual([])
      expect(offences).toEqual([])
      await close()
    },
  )

  it('keeps the token in the tab: not in the address, nor after the lock', async () => {
    const { page, offences, close } = await open({ viewport: { width: 1200, height: 800 } })
    await signIn(page, '/channels?page=1')
    expect(page.url()).not.toContain(adminToken)
    await page.reload()
    await waitForPage(page, 'Channels')
    await page.getByRole('button', { name: 'Lock' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    expect(await page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])')).not.toContain(
      adminToken,
    )
    expect(offences).toEqual([])
    await close()
  })

  it('creates a channel, shows its secret once, and finds its failed request by the id', async () => {
    const { page, offences, close } = await open({ viewport: { width: 1200, height: 900 } })
    await signIn(page, '/channels')
    await page.getByRole('button', { name: 'New channel' }).first().click()
    await page.getByRole('textbox', { name: 'Code' }).fill('corner-shop')
    await page.getByRole('textbox', { name: 'Name' }).fill('<img src=x onerror=alert(1)>')
    await page.getByRole('button', { name: 'Create the channel' }).click()
    await page.locator('.credential').nth(1).waitFor()
    const [clientId, secret] = await page.locator('.credential').allTextContents()
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByRole('cell', { name: '<img src=x onerror=alert(1)>' }).waitFor()

    const token = await fetch(`${house.url}/api/v1/auth/token`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ grant_type: 'client_credentials', client_id: clientId, client_secret: secret }),
    })
    const { access_token } = toRecord(await token.json())
    const refused = await fetch(`${house.url}/api/v1/warehouses/NOWHERE/stock`, {
      headers: { Authorization: `Bearer ${access_token}`, 'X-Request-Id': 'WEB-77-failed' },
    })
    expect(refused.status).toBe(404)

    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('Request id').fill('WEB-77-failed')
    await page.getByRole('button', { name: 'Request WEB-77-failed' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 2 }).filter({ hasText: 'WAREHOUSE_UNKNOWN' }).waitFor()
    expect(offences).toEqual([])
    await close()
  })

  it('speaks three languages without a reload', async () => {
    const { page, offences, close } = await open({ viewport: { width: 1200, height: 800 }, locale: 'ko-KR' })
    await page.goto(`${house.url}/admin`)
    await page.getByRole('heading', { name: '운영자 콘솔' }).waitFor()
    await page.getByText('中', { exact: true }).click()
    await page.getByRole('heading', { name: '运维管理后台' }).waitFor()
    expect(await page.evaluate('document.documentElement.lang')).toBe('zh')
    expect(offences).toEqual([])
    await close()
  })

  it('loads at most 350 KB of scripts at first, and prints when it first paints on a slow processor', async () => {
    const { page, close } = await open({ viewport: { width: 1280, height: 800 } })
    const session = await page.context().newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
    await session.send('Network.enable')
    const scripts = new Set<string>()
    let bytes = 0
    session.on('Network.responseReceived', ({ requestId, type }) => {
      if (type === 'Script') scripts.add(requestId)
    })
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (scripts.has(requestId)) bytes += encodedDataLength
    })
    await page.goto(`${house.url}/admin`, { waitUntil: 'load' })
    const { largest, ready } = await readPaints(page)
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    process.stdout.write(
      `the console: ${Math.round(bytes / 1024)} KB of scripts, largest paint after ${largest} ms, ready after ${ready} ms\n`,
    )
    expect(bytes).toBeLessThan(maxScriptBytes)
    await close()
  })
})
