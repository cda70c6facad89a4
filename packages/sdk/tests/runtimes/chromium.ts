import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import type { Findings } from '../portable/run-cases.ts'
import type { Target } from '../portable/target.ts'

const page = '/sdk-suite/'

/** Runs the public calls on a page of the gateway's own origin, whose files come from the folder of the suite. */
export async function runInChromium(
  executablePath: string,
  built: string,
  target: Target,
): Promise<Findings> {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  try {
    const tab = await browser.newPage()
    await tab.route(`${target.gatewayUrl}${page}**`, async (route) => {
      const path = new URL(route.request().url()).pathname.slice(page.length)
      const isPage = path === ''
      const contentType = isPage ? 'text/html' : 'text/javascript'
      await route.fulfill({ contentType, body: isPage ? '' : await readFile(join(built, path), 'utf8') })
    })
    await tab.goto(target.gatewayUrl + page)
    const script = `import('${page}tests/portable/run-cases.js').then(({ runCases }) => runCases(${JSON.stringify(target)}, true))`
    return asFindings(await tab.evaluate(script))
  } finally {
    await browser.close()
  }
}

/** The page runs our own suite. */
function asFindings(value: unknown): Findings {
  return value as Findings
}
