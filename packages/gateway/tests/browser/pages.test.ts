/**
 * The pages in a real browser: they load nothing from other origins, violate no content security policy and pass the
 * accessibility checks, on phone and desktop, in light and dark mode. Runs with TEST_BROWSER=1, in the browser that
 * CHROMIUM names or else in /usr/bin/chromium.
 */

import type { Browser, BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { languages } from '../../src/contract/language.ts'
import { findPage } from '../../src/pages/site.ts'
import { buyers, openTestGateway, signInBuyer, type TestGateway } from '../harness.ts'
import { findAxeViolations, launchChromium, openPage, patienceMs, readPaints, why } from './chromium.ts'

const shown = [
  '/',
  '/docs',
  '/docs/quickstart',
  '/docs/configuration',
  '/reference',
  '/reference/dropship.submit',
  '/reference/stock.changes',
  '/errors',
  '/errors/RATE_LIMITED',
  '/changelog',
].filter((path) => findPage(path, 'en') !== undefined)

const withDiagrams = [
  '/',
  '/docs/operate',
  '/docs/guides/wholesale-order',
  '/docs/guides/dropship-order',
  '/docs/guides/retries-and-idempotency',
  '/docs/guides/receive-webhooks',
]

/** In the page: texts of the shown diagram that leave their box or the image, and labels that cover a box or a label. */
const findDiagramFaults = `(() => {
  const faults = []
  let texts = 0
  const shown = [...document.querySelectorAll('.diagram svg')].filter((svg) => svg.getBoundingClientRect().width > 0)
  for (const svg of shown) {
    const isInside = (inner, outer) => inner.left >= outer.left && inner.right <= outer.right && inner.top >= outer.top && inner.bottom <= outer.bottom + 1
    const covers = (one, other) => one.left < other.right && other.left < one.right && one.top + 2 < other.bottom && other.top + 2 < one.bottom
    const frame = svg.getBoundingClientRect()
    const boxes = [...svg.querySelectorAll('.box')]
    for (const box of boxes) {
      const rect = box.querySelector('rect').getBoundingClientRect()
      for (const text of box.querySelectorAll('text')) {
        texts += 1
        if (!isInside(text.getBoundingClientRect(), rect)) faults.push(text.textContent + ' leaves its box')
      }
    }
    const labels = [...svg.querySelectorAll('.arrow-label')]
    for (const [at, label] of labels.entries()) {
      const place = label.getBoundingClientRect()
      if (place.left < frame.left || place.right > frame.right + 1 || place.top < frame.top) faults.push(label.textContent + ' leaves the image')
      if (boxes.some((box) => covers(place, box.querySelector('rect').getBoundingClientRect()))) faults.push(label.textContent + ' covers a box')
      if (labels.slice(at + 1).some((other) => covers(place, other.getBoundingClientRect()))) faults.push(label.textContent + ' covers a label')
    }
  }
  return { texts, faults }
})()`

const searched = ['RATE_LIM', 'authentication', 'pagination', 'signature', 'webhook', 'stock changes'].concat(
  ['idempotency', 'points', 'retry-after', 'dropship', '限流', '库存', '재고', '배송'],
)

/** In the page: the texts of the runner’s buttons that leave their button. */
const findCutButtons = `[...document.querySelectorAll('.runner button')].filter((button) => {
  const range = document.createRange()
  range.selectNodeContents(button)
  const [text, box] = [range.getBoundingClientRect(), button.getBoundingClientRect()]
  return text.left < box.left || text.right > box.right
}).map((button) => button.textContent)`

/** The bound of the search's time. It is asserted only where nothing else runs (`.ci/search-times.sh`). */
const maxSearchP95Ms = 50
const isAlone = process.env.ASSERT_TIMES === '1'

/** A folder for screenshots of the runner, if they are wanted. */
const { SCREENSHOTS: shots } = process.env

describe.skipIf(why !== undefined)('in a browser', { timeout: patienceMs }, () => {
  let house: TestGateway
  let browser: Browser

  beforeAll(async () => {
    house = await openTestGateway()
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser.close()
    await house.close()
  })

  const open = (options: BrowserContextOptions = {}) => openPage(browser, house.url, options)

  const forms = [
    ['a desk, light', { viewport: { width: 1440, height: 900 }, colorScheme: 'light' }],
    ['a phone, dark', { viewport: { width: 360, height: 740 }, colorScheme: 'dark' }],
  ] as const

  it.each(forms)(
    'on %s, no page is wider than the screen, asks elsewhere or fails axe',
    async (_name, form) => {
      const { page, offences, close } = await open(form)
      const found: string[] = []
      for (const path of shown) {
        for (const language of ['en', 'zh', 'ko']) {
          await page.goto(`${house.url}${path}?lang=${language}`)
          const width = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
          if (Number(width) > 0) found.push(`${path} ${language} is ${width} px too wide`)
          for (const violation of await findAxeViolations(page))
            found.push(`${path} ${language}: ${violation}`)
        }
      }
      expect(found).toEqual([])
      expect(offences).toEqual([])
      await close()
    },
  )

  it.each(forms)('on %s, no text of a diagram leaves its box or covers another', async (_name, form) => {
    const { page, close } = await open(form)
    const found: string[] = []
    for (const path of withDiagrams) {
      for (const language of languages) {
        await page.goto(`${house.url}${path}?lang=${language}`)
        const seen = await page.evaluate(findDiagramFaults)
        expect(Number(Object(seen).texts), path).toBeGreaterThan(5)
        for (const fault of Object(seen).faults) found.push(`${path} ${language}: ${fault}`)
      }
    }
    expect(found).toEqual([])
    await close()
  })

  it('works without scripts: content, navigation on a phone, samples', async () => {
    const { page, offences, close } = await open({
      javaScriptEnabled: false,
      viewport: { width: 360, height: 740 },
    })
    await page.goto(`${house.url}/reference/dropship.submit`)
    const menu = page.locator('.drawer summary')
    await menu.click()
    await page.locator('.drawer a', { hasText: 'List drop-ship orders' }).click()
    expect(await page.locator('h1').textContent()).toBe('List drop-ship orders')
    await page.locator('.samples label', { hasText: 'TypeScript' }).click()
    expect(await page.locator('.pane:visible').textContent()).toContain('new TradeGateway')
    expect(offences).toEqual([])
    await close()
  })

  it('reads the feed of the changelog as XML', async () => {
    const { page, close } = await open()
    await page.goto(`${house.url}/docs`)
    const feed = await (await fetch(`${house.url}/changelog.atom`)).text()
    const errors = await page.evaluate(
      `new DOMParser().parseFromString(${JSON.stringify(feed)}, 'application/xml').querySelectorAll('parsererror').length`,
    )
    expect(errors).toBe(0)
    await close()
  })

  it.each([
    ['en', 'RATE_LIM', '/errors/RATE_LIMITED'],
    ['en', 'retry-after', undefined],
    ['en', '/api/v1/dropship-orders/submit', '/reference/dropship.submit'],
    ['zh', '限流', '/docs/guides/points-and-limits'],
    ['zh', '点数已用完', '/errors/RATE_LIMITED'],
    ['ko', '재고', '/docs/guides/keep-stock-in-sync'],
    ['ko', 'SHIPPING_REQ', '/errors/SHIPPING_REQUIRED'],
  ])('in %s, the search finds %s', async (language, words, first) => {
    const { page, offences, close } = await open({ viewport: { width: 1200, height: 800 } })
    await page.goto(`${house.url}/?lang=${language}`)
    await page.keyboard.press('/')
    await page.locator('.finder input').fill(words)
    const results = page.locator('.finder li a')
    await page.locator('.finder li a, .finder .none:visible').first().waitFor()
    expect(await findAxeViolations(page)).toEqual([])
    if (first) {
      expect(await results.first().getAttribute('href')).toBe(`${first}?lang=${language}`)
      await page.keyboard.press('Enter')
      await page.waitForURL(`**${first}?lang=${language}`)
    }
    expect(offences).toEqual([])
    await close()
  })

  it('copies code, and keeps the colours that the reader chose', async () => {
    const { page, close } = await open({
      colorScheme: 'light',
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await page.goto(`${house.url}/errors/NOT_FOUND`)
    await page.locator('.code').nth(1).hover()
    await page.locator('.code .copy').nth(1).click()
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain(
      'curl -s "$BASE/api/v1/warehouses',
    )
    await page.getByRole('button', { name: 'Dark colours' }).click()
    await page.reload()
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
    await close()
  })

  it('copies the page for an agent, and keeps the language of samples', async () => {
    const { page, offences, close } = await open({ permissions: ['clipboard-read', 'clipboard-write'] })
    await page.goto(`${house.url}/reference/stock.changes?lang=en`)
    await page.locator('.agents summary').click()
    expect(await findAxeViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Copy page as Markdown' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const shown = await (await fetch(`${house.url}/reference/stock.changes.md?lang=en`)).text()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(shown)
    await page.keyboard.press('Escape')
    expect(await page.locator('.agents ul').isVisible()).toBe(false)
    await page.locator('.samples label', { hasText: 'TypeScript' }).click()
    await page.goto(`${house.url}/reference/dropship.submit`)
    expect(await page.locator('.pane:visible').textContent()).toContain('new TradeGateway')
    expect(offences).toEqual([])
    await close()
  })

  it('asks whether a page was helpful, and thanks', async () => {
    const { page, offences, close } = await open()
    await page.goto(`${house.url}/docs/quickstart?lang=ko`)
    await page.getByRole('button', { name: '아니요' }).click()
    expect(await findAxeViolations(page)).toEqual([])
    await page.getByRole('button', { name: '내용이 부족함' }).click()
    await page.locator('.rating', { hasText: '감사합니다' }).waitFor()
    const votes = await house.gateway.store.db.selectFrom('page_votes').selectAll().execute()
    expect(votes).toMatchObject([{ page: '/docs/quickstart', language: 'ko', verdict: 'incomplete' }])
    expect(offences).toEqual([])
    await close()
  })

  it('counts one vote for two clicks in a row', async () => {
    const { page, close } = await open()
    await page.goto(`${house.url}/docs/sandbox?lang=en`)
    await page.locator('.rating').getByRole('button', { name: 'Yes' }).dblclick()
    await page.locator('.rating', { hasText: 'Thank' }).waitFor()
    await page.waitForLoadState('networkidle')
    const votes = house.gateway.store.db.selectFrom('page_votes').selectAll()
    expect(await votes.where('page', '=', '/docs/sandbox').execute()).toMatchObject([{ votes: 1 }])
    await close()
  })

  it('opens no result by the Enter that ends a word of an input method', async () => {
    const { page, offences, close } = await open()
    const address = `${house.url}/docs?lang=ko`
    await page.goto(address)
    await page.keyboard.press('/')
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Input.imeSetComposition', { text: '재고', selectionStart: 2, selectionEnd: 2 })
    await page.locator('.finder a[aria-current]').waitFor()
    await page.keyboard.press('Enter')
    // As Safari sends it, after the word has ended.
    await devtools.send('Input.insertText', { text: '재고' })
    await page.locator('.finder a[aria-current]').waitFor()
    await page.evaluate(
      "document.querySelector('.finder input').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', keyCode: 229 }))",
    )
    await page.waitForTimeout(500)
    expect(page.url()).toBe(address)
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.href !== address)
    expect(offences).toEqual([])
    await close()
  })

  it.each(forms)('on %s, /swagger calls the contract in our colours and passes axe', async (_name, form) => {
    const { page, offences, close } = await open(form)
    const found: string[] = []
    const look = async (state: string) => {
      const width = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      if (Number(width) > 0) found.push(`${state} is ${width} px too wide`)
      for (const violation of await findAxeViolations(page)) found.push(`${state}: ${violation}`)
    }
    await page.goto(`${house.url}/swagger?lang=ko`)
    await page.locator('.opblock-tag').first().waitFor({ timeout: patienceMs })
    // The first group is open. Webhooks are listed after the calls and are always expanded.
    expect(await page.locator('.opblock-tag-section.is-open').count()).toBe(1)
    await look('the list')
    await page.locator('.authorize.locked').click()
    await page.locator('.auth-btn-wrapper button', { hasText: 'Logout' }).click()
    await page.locator('.auth-container input').fill(await signInBuyer(house))
    await look('the dialog')
    await page.locator('.auth-btn-wrapper .authorize').click()
    await page.locator('.auth-btn-wrapper .btn-done').click()
    const me = page.locator('.opblock-get', { hasText: '/api/v1/me' })
    await me.locator('.opblock-summary-control').click()
    await me.locator('.execute').click()
    await me.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor()
    await look('a response')
    const write = page.locator('.opblock-post', { hasText: '/api/v1/plan-requests' })
    await write.locator('.opblock-summary-control').click()
    await look('a form')
    // No colour of Swagger’s own sheet is left where most of its text stands.
    const ours = await page.evaluate(
      "[...document.querySelectorAll('.opblock')].every((each) => { const probe = document.createElement('i'); probe.style.background = 'var(--raised)'; document.body.append(probe); const same = getComputedStyle(each).backgroundColor === getComputedStyle(probe).backgroundColor; probe.remove(); return same })",
    )
    expect(ours).toBe(true)
    expect(found).toEqual([])
    expect(offences).toEqual([])
    await close()
  })

  it('calls /me on /swagger with two clicks from a cold load, and stores no token', async () => {
    const { page, offences, close } = await open()
    await page.goto(`${house.url}/swagger?lang=en`)
    const me = page.locator('.opblock-get', { hasText: '/api/v1/me' })
    const signedIn = page.waitForResponse(`${house.url}/visitor-token`)
    await me.locator('.opblock-summary-control').click()
    const { access_token } = Object((await (await signedIn).json()).data)
    await me.locator('.execute').click()
    await me.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor()
    expect(await me.locator('.live-responses-table').textContent()).toContain('sandbox-visitors')
    const kept = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    )
    expect(kept).not.toContain('eyJ')
    expect(access_token).toMatch(/^eyJ/)
    expect(offences).toEqual([])
    await close()
  })

  it('runs a call in the sandbox after one sign-in, which no storage holds', async () => {
    const token = await signInBuyer(house)
    const { page, offences, close } = await open({ viewport: { width: 1440, height: 900 } })
    await page.goto(`${house.url}/reference/me?lang=en`)
    expect(
      await page.evaluate(
        "performance.getEntriesByType('resource').some(({ name }) => name.includes('runner'))",
      ),
    ).toBe(false)
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByLabel('Username').fill(buyers[0].username)
    await page.getByLabel('Password').fill(buyers[0].password)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Send' }).click()
    const facts = page.locator('.run-facts')
    await facts.waitFor()
    expect(await facts.textContent()).toMatch(/Status200 OKPoints\d+, \d+ leftRequest IDreq_/)
    expect(await page.locator('.run-result code').textContent()).toContain('"channel"')
    expect(await findAxeViolations(page)).toEqual([])
    const curl = () => page.locator('.pane').first().textContent()
    expect(await curl()).toContain(`curl -s "${house.url}/api/v1/me"`)
    expect(await curl()).not.toContain('$TOKEN')
    const kept = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    )
    expect(kept).not.toMatch(/eyJ/)
    // The next page has the sign-in too, and another document does not.
    await page.locator('.side a', { hasText: 'List wholesale orders' }).click()
    await page.locator('h1', { hasText: 'List wholesale orders' }).waitFor()
    expect(await curl()).not.toContain('$TOKEN')
    await page.reload()
    expect(await curl()).toContain('$TOKEN')
    expect(token).not.toBe('')
    expect(offences).toEqual([])
    await close()
  })

  it('keeps the runner while the reader jumps within the page and back', async () => {
    const { page, offences, close } = await open({ viewport: { width: 1440, height: 900 } })
    await page.goto(`${house.url}/reference/me?lang=en`)
    await page.getByRole('button', { name: 'Run' }).click()
    const jump = async () => {
      await page.evaluate('document.querySelector(\'a[href^="#"]\').click()')
      await page.waitForURL('**/reference/me?lang=en#*')
      await page.goBack()
      await page.waitForURL('**/reference/me?lang=en')
    }
    await page.getByLabel('Username').fill(buyers[0].username)
    await jump()
    expect(await page.getByLabel('Username').inputValue()).toBe(buyers[0].username)
    await page.getByRole('button', { name: 'Try without an account' }).click()
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('.run-facts', { hasText: '200 OK' }).waitFor()
    await jump()
    expect(await page.locator('.run-facts').count()).toBe(1)
    // The way back to another page still shows it.
    await page.locator('.side a', { hasText: 'List wholesale orders' }).click()
    await page.locator('h1', { hasText: 'List wholesale orders' }).waitFor()
    await page.goBack()
    await page.locator('h1', { hasText: 'List wholesale orders' }).waitFor({ state: 'detached' })
    expect(offences).toEqual([])
    await close()
  })

  it.each(forms)('on %s, runs a read without an account, and offers no write', async (name, form) => {
    const { page, offences, close } = await open(form)
    const shoot = async (state: string) => {
      expect(await findAxeViolations(page)).toEqual([])
      expect(await page.evaluate(findCutButtons)).toEqual([])
      if (shots) await page.screenshot({ path: `${shots}/${name.replace(/\W+/g, '-')}-${state}.png` })
    }
    await page.goto(`${house.url}/reference/warehouses.list?lang=en`)
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('button', { name: 'Try without an account' }).waitFor()
    await shoot('form')
    await page.getByRole('button', { name: 'Try without an account' }).click()
    await page.getByText('Signed in as a visitor.').waitFor()
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('.run-facts', { hasText: '200 OK' }).waitFor()
    expect(await page.locator('.run-result code').textContent()).toContain('AUSYD1')
    await shoot('response')
    const kept = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    )
    expect(kept).not.toContain('eyJ')
    await page.goto(`${house.url}/reference/orders.submit?lang=en`)
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByLabel('Username').waitFor()
    expect(await page.getByRole('button', { name: 'Try without an account' }).count()).toBe(0)
    expect(offences).toEqual([])
    await close()
  })

  it('writes in the sandbox under a new key each time, and presets no document', async () => {
    await signInBuyer(house)
    const { page, close } = await open({ viewport: { width: 390, height: 844 } })
    // As in a page that came over HTTP from another machine.
    await page.addInitScript('delete Crypto.prototype.randomUUID')
    const keys: string[] = []
    page.on('request', (request) => {
      const key = request.headers()['idempotency-key']
      if (key !== undefined) keys.push(key)
    })
    await page.goto(`${house.url}/reference/orders.void?lang=zh`)
    await page.getByRole('button', { name: '运行' }).click()
    await page.getByLabel('用户名').fill(buyers[0].username)
    await page.getByLabel('密码').fill(buyers[0].password)
    await page.keyboard.press('Enter')
    const id = page.getByLabel('ORDER_ID')
    await id.waitFor()
    expect(await id.inputValue()).toBe('')
    await id.fill('ord_00000000000000000000000000')
    for (const count of [1, 2]) {
      await page.getByRole('button', { name: '发送' }).click()
      await expect.poll(() => keys.length, { timeout: patienceMs }).toBe(count)
      await page.locator('.run-facts', { hasText: '404' }).waitFor()
    }
    expect(new Set(keys).size).toBe(2)
    expect(await findAxeViolations(page)).toEqual([])
    await close()
  })

  it('shows the current page in the menu, and no meaning of a field is cut on a phone', async () => {
    const wide = await open({ viewport: { width: 1440, height: 700 } })
    await wide.page.goto(`${house.url}/reference/webhook_deliveries.redeliver?lang=en`)
    const isSeen = `(() => { const { top, bottom } = document.querySelector('.side [aria-current]').getBoundingClientRect(); return top >= 0 && bottom <= innerHeight })()`
    await expect.poll(() => wide.page.evaluate(isSeen), { timeout: patienceMs }).toBe(true)
    const rail = await wide.page.locator('.rail').boundingBox()
    expect(rail?.x).toBeGreaterThan(800)
    await wide.close()
    const phone = await open({ viewport: { width: 360, height: 740 } })
    for (const language of languages) {
      await phone.page.goto(`${house.url}/reference/dropship.submit?lang=${language}`)
      const cut = await phone.page.evaluate(
        "[...document.querySelectorAll('.fields p, .drawer .here')].filter((each) => each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0 || each.getBoundingClientRect().right > innerWidth).map((each) => each.textContent)",
      )
      expect(cut, language).toEqual([])
      await phone.page.evaluate('scrollTo({ top: 2000, behavior: "instant" })')
      expect(await phone.page.locator('.drawer .here').isVisible()).toBe(true)
    }
    await phone.close()
  })

  it('prints how large a page is and when it is painted and ready on a processor four times slower', async () => {
    const lines: string[] = []
    for (const path of shown) {
      const { page, close } = await open({ viewport: { width: 1280, height: 800 } })
      const session = await page.context().newCDPSession(page)
      await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
      await session.send('Network.enable')
      let bytes = 0
      session.on('Network.loadingFinished', ({ encodedDataLength }) => {
        bytes += encodedDataLength
      })
      await page.goto(`${house.url}${path}`, { waitUntil: 'load' })
      const { largest, ready, html } = await readPaints(page)
      const size = `${toKb(bytes)} KB with everything it loads, ${toKb(html)} KB of HTML`
      lines.push(`${path}: ${size}, largest paint after ${largest} ms, ready after ${ready} ms`)
      expect(bytes, path).toBeLessThan(150 * 1024)
      expect(html, path).toBeGreaterThan(0)
      await close()
    }
    process.stdout.write(`${lines.join('\n')}\n`)
  })

  it('prints how long the search takes', async () => {
    const { page, close } = await open()
    await page.goto(`${house.url}/docs`)
    for (const language of languages) {
      const times = await page.evaluate(
        `(async () => { await fetch('/search.json?lang=${language}&q=first'); const times = []; for (const word of ${JSON.stringify(searched)}) for (let round = 0; round < 5; round++) { const began = performance.now(); await (await fetch('/search.json?lang=${language}&q=' + encodeURIComponent(word))).json(); times.push(performance.now() - began) } return times })()`,
      )
      const sorted = Array.isArray(times) ? times.map(Number).toSorted((one, other) => one - other) : []
      expect(sorted).toHaveLength(5 * searched.length)
      const [median = 0, p95 = 0] = [0.5, 0.95].map((part) => sorted[Math.floor(part * sorted.length)])
      process.stdout.write(
        `search in ${language}: median ${median.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms of ${sorted.length} requests\n`,
      )
      if (isAlone) expect(p95, `search in ${language}`).toBeLessThan(maxSearchP95Ms)
    }
    await close()
  })
})

const toKb = (bytes: number) => Math.round(bytes / 1024)
