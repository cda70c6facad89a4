import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openApiText } from '../src/contract/openapi.ts'

/** What keeps the house tidy, checked on the files themselves. */
const root = join(import.meta.dirname, '../../..')
const source = join(root, 'packages/gateway/src')

interface File {
  /** Relative to `packages/gateway/src`. */
  readonly path: string
  readonly text: string
}

function filesUnder(folder: string, isWanted: (path: string) => boolean): File[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(isWanted)
    .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }))
}

const isCode = (path: string) => path.endsWith('.ts') && !path.endsWith('.test.ts')
const gatewayFiles = filesUnder(source, isCode)

/** Folders that a folder may import at run time; types may come from anywhere. */
const below = {
  kernel: [],
  contract: ['kernel', 'catalogue.ts'],
  store: ['kernel'],
  access: ['kernel', 'contract', 'store'],
  stock: ['kernel', 'contract', 'store'],
  upstream: ['kernel', 'contract'],
  events: ['kernel', 'contract', 'store', 'stock'],
  webhooks: ['kernel', 'contract', 'store', 'access', 'stock', 'events', 'operations'],
  operations: ['kernel', 'contract', 'store', 'access', 'stock', 'upstream', 'events'],
  orders: ['kernel', 'contract', 'store', 'access', 'operations'],
  dropship: ['kernel', 'contract', 'store', 'access', 'operations'],
  reservations: ['kernel', 'contract', 'store', 'access', 'operations'],
  holds: ['kernel', 'contract', 'store', 'access', 'operations'],
  carts: ['kernel', 'contract', 'store', 'stock', 'operations'],
  shipments: ['kernel', 'contract', 'store', 'operations'],
  ledger: ['kernel', 'contract', 'store', 'operations'],
  products: ['kernel', 'contract', 'store', 'operations'],
  reference: ['kernel', 'contract', 'store', 'operations'],
  mcp: ['catalogue.ts', 'kernel', 'contract', 'http', 'access', 'stock', 'products', 'orders', 'dropship'],
} as const

/** What a file imports from us, whole paths below `src`; type-only imports cost nothing at run time. */
function importsOf({ path, text }: File, typesToo: boolean): string[] {
  return [...text.matchAll(/^(?:import|export) (type )?[^']*?from '([^']+)'/gm)].flatMap(
    ([, isType, target = '']) =>
      target.startsWith('.') && (typesToo || !isType)
        ? [relative(source, resolve(source, dirname(path), target))]
        : [],
  )
}

describe('directions', () => {
  it.each(Object.entries(below))('%s imports only what is below it', (folder, allowed: readonly string[]) => {
    for (const file of gatewayFiles.filter(({ path }) => path.startsWith(`${folder}/`))) {
      for (const target of importsOf(file, false)) {
        const [top = ''] = target.split('/')
        const fine = top === folder || top === '..' || allowed.includes(top)
        expect(fine, `${file.path} imports ${target}`).toBe(true)
      }
    }
  })
})

describe('edges', () => {
  const offenders = (pattern: RegExp, isAllowed: (path: string) => boolean) =>
    gatewayFiles.filter(({ path, text }) => pattern.test(text) && !isAllowed(path)).map(({ path }) => path)

  it('reads the environment at the start only', () => {
    expect(offenders(/process\.env/, (path) => path === 'main.ts')).toEqual([])
  })

  it('takes time and randomness from the gateway record', () => {
    expect(
      offenders(/Date\.now|Math\.random|performance\.now|new Date\(\)/, (path) => path.startsWith('kernel/')),
    ).toEqual([])
    expect(
      offenders(/randomBytes|randomUUID/, (path) => path.startsWith('kernel/') || path.startsWith('start/')),
    ).toEqual([])
  })

  it('has no SQL clock in any query', () => {
    expect(offenders(/sql`[^`]*\bnow\(\)/, () => false)).toEqual([])
  })

  it('has no file that nothing uses', () => {
    const imported = new Set(gatewayFiles.flatMap((file) => importsOf(file, true)))
    const tests = filesUnder(join(root, 'packages/gateway/tests'), (path) => path.endsWith('.ts'))
    for (const { text } of tests)
      for (const target of text.matchAll(/'\.\.\/src\/([^']+)'/g)) imported.add(target[1] ?? '')
    const starts = ['main.ts', 'contract/write-openapi.ts', 'pages/docs/command.ts']
    expect(
      gatewayFiles.map(({ path }) => path).filter((path) => !imported.has(path) && !starts.includes(path)),
    ).toEqual([])
  })
})

describe('generated files', () => {
  it('contract/openapi.json is what the catalogue says (npm run contract)', () => {
    expect(readFileSync(join(root, 'contract/openapi.json'), 'utf8')).toBe(openApiText())
  })
})
