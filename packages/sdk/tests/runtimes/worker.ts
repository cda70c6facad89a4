import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Findings } from '../portable/run-cases.ts'
import type { Target } from '../portable/target.ts'

/** The little of miniflare that is used. It is installed only where the runtimes are tried. */
interface MiniflareModule {
  readonly Miniflare: new (
    options: Readonly<Record<string, unknown>>,
  ) => {
    dispatchFetch(url: string): Promise<{ json(): Promise<unknown> }>
    dispose(): Promise<void>
  }
}

const compatibilityDate = '2026-07-01'

/** Runs the suite in workerd, as a module worker without the modules of Node. */
export async function runInWorker(miniflare: string, built: string, target: Target): Promise<Findings> {
  const { Miniflare } = loadMiniflare(miniflare)
  const script = `import { runCases } from './tests/portable/run-cases.js'
export default { fetch: async () => Response.json(await runCases(${JSON.stringify(target)})) }`
  const worker = new Miniflare({
    modules: [
      { type: 'ESModule', path: join(built, 'worker.js'), contents: script },
      ...(await readModules(built)),
    ],
    modulesRoot: built,
    compatibilityDate,
  })
  try {
    return asFindings(await (await worker.dispatchFetch('http://worker.example/')).json())
  } finally {
    await worker.dispose()
  }
}

async function readModules(built: string) {
  const entries = await readdir(built, { recursive: true, withFileTypes: true })
  const files = entries.filter(
    (entry) => entry.isFile() && entry.name.endsWith('.js') && !entry.parentPath.endsWith('mirror'),
  )
  return Promise.all(
    files.map(async ({ parentPath, name }) => {
      const path = join(parentPath, name)
      return { type: 'ESModule', path, contents: await readFile(path, 'utf8') }
    }),
  )
}

/** The package is not a dependency, so the compiler does not know its types. */
function loadMiniflare(path: string): MiniflareModule {
  return createRequire(import.meta.url)(path) as MiniflareModule
}

/** The worker runs our own suite. */
function asFindings(value: unknown): Findings {
  return value as Findings
}
