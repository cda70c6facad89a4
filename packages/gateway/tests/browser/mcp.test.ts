/**
 * Chromium calls `POST /mcp` from pages of other origins: one that `MCP_ALLOWED_ORIGINS` lists, and one that it does not.
 * Runs with TEST_BROWSER=1.
 */

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildModernRequest } from '../agent.ts'
import { createWorld, openTestGateway, type TestGateway } from '../harness.ts'
import { launchChromium, patienceMs, why } from './chromium.ts'

/** Runs in the page: sends a call and returns what the page can read of the response. */
const callFromPage = async ({ url, headers, body }: { url: string; headers: object; body: string }) => {
  try {
    const response = await fetch(url, { method: 'POST', headers: { ...headers }, body })
    const readable = ['www-authenticate', 'ratelimit-cost', 'x-request-id']
    return {
      status: response.status,
      text: await response.text(),
      seen: readable.filter((name) => response.headers.has(name)),
    }
  } catch (error) {
    return { status: 0, text: String(error), seen: [] }
  }
}

describe.skipIf(why !== undefined)('an agent in a page of another origin', { timeout: patienceMs }, () => {
  let house: TestGateway
  let browser: Browser
  let token: string
  let pages: Server
  let port: number

  beforeAll(async () => {
    pages = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>An agent</title>')
    })
    await new Promise<void>((resolve) => pages.listen(0, resolve))
    port = (pages.address() as AddressInfo).port
    house = await openTestGateway({
      unfilled: true,
      settings: { MCP_ALLOWED_ORIGINS: `http://localhost:${port}` },
    })
    token = (await createWorld(house)).token
    browser = await launchChromium()
  }, patienceMs)
  afterAll(async () => {
    await browser.close()
    pages.close()
    await house.close()
  })

  async function callFrom(origin: string, bearer: string) {
    const page = await browser.newPage()
    await page.goto(origin)
    const { headers, body } = buildModernRequest('tools/list')
    const called = await page.evaluate(callFromPage, {
      url: `${house.url}/mcp`,
      headers: { ...headers, 'content-type': 'application/json', authorization: `Bearer ${bearer}` },
      body: JSON.stringify(body),
    })
    await page.close()
    return called
  }

  it('lists the tools if its origin is listed', async () => {
    const { status, text, seen } = await callFrom(`http://localhost:${port}`, token)
    expect([status, text]).toEqual([200, expect.stringContaining('"check_stock"')])
    expect(seen).toEqual(['ratelimit-cost', 'x-request-id'])
  })

  it('reads why its token was refused', async () => {
    const { status, text, seen } = await callFrom(`http://localhost:${port}`, 'a.b.c')
    expect([status, text]).toEqual([401, expect.stringContaining('AUTH_INVALID_TOKEN')])
    expect(seen).toEqual(['www-authenticate', 'x-request-id'])
  })

  it('reads nothing if its origin is not listed', async () => {
    expect(await callFrom(`http://127.0.0.1:${port}`, token)).toMatchObject({ status: 0 })
  })
})
