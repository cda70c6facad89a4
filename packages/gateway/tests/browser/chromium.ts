/** Debian's Chromium for the tests of pages and of the console, and what a page must not do there. */

import { existsSync, readFileSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

const executable = process.env.CHROMIUM || '/usr/bin/chromium'

/** Why the browser tests are left out; undefined if they run. */
export const why = !process.env.TEST_BROWSER
  ? 'TEST_BROWSER is not set'
  : existsSync(executable)
    ? undefined
    : `there is no ${executable}`
if (why !== undefined) process.stdout.write(`the browser tests are left out: ${why}\n`)

/** The time limit of these tests. They take minutes if several processes share a processor. */
export const patienceMs = 300_000

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: executable, args: ['--no-sandbox'] })
}

/** Opens a page and records what it must not do: requests to other origins, errors and violations of its policy. */
export async function openPage(browser: Browser, origin: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const offences: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !/^(?:data|blob):/.test(request.url()))
      offences.push(request.url())
  })
  page.on('console', (message) => {
    if (message.type() === 'error') offences.push(message.text())
  })
  page.on('dialog', (dialog) => {
    offences.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('pageerror', (error) => offences.push(String(error)))
  return { page, offences, close: () => context.close() }
}

const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** Resolves once nothing fades or moves any more, except what turns for ever. Until then, text has a lower contrast. */
const standstill = `new Promise((done) => {
  const isMoving = ({ playState, effect }) =>
    playState === 'running' && effect.getComputedTiming().endTime !== Infinity
  const look = () =>
    document.getAnimations().some(isMoving) ? requestAnimationFrame(look) : done()
  requestAnimationFrame(() => requestAnimationFrame(look))
})`

/** Returns the violations that axe rates as serious or critical. */
export async function findAxeViolations(page: Page): Promise<string[]> {
  await page.evaluate(standstill)
  // The debugger injects axe, because the page's policy allows no other scripts.
  await page.evaluate(axe)
  const found: unknown = await page.evaluate(
    "axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ target }) => target.join(' ')).join(', ')))",
  )
  return Array.isArray(found) ? found.map(String) : []
}

/**
 * Reads after how many milliseconds a loaded page had painted its largest content, and after how many it was ready: its
 * scripts had run, and no task of 50 ms or more followed in half a second. `html` is the size of the document as sent.
 */
export async function readPaints(page: Page) {
  const read: unknown = await page.evaluate(`new Promise((done) => {
    const found = { largest: 0, ready: 0 }
    const observe = (type, note) =>
      new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true })
    observe('largest-contentful-paint', ({ startTime }) => (found.largest = startTime))
    observe('longtask', ({ startTime, duration }) => (found.ready = startTime + duration))
    const [{ domContentLoadedEventEnd, encodedBodySize }] = performance.getEntriesByType('navigation')
    const look = () => {
      const ready = Math.max(found.largest, found.ready, domContentLoadedEventEnd)
      if (found.largest === 0 || performance.now() < ready + 500) return setTimeout(look, 50)
      done({ largest: Math.round(found.largest), ready: Math.round(ready), html: encodedBodySize })
    }
    look()
  })`)
  const { largest, ready, html } = Object(read)
  return { largest: Number(largest), ready: Number(ready), html: Number(html) }
}
