/** Checks that the files of the repository follow its rules. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { serializeConnectorOpenApi } from '@trade-gateway/connector/openapi'
import { describe, expect, it } from 'vitest'
import { serializeAdminOpenApi, serializeOpenApi } from '../src/projections/openapi.ts'
import {
  buildImportGraph,
  type File,
  findImportCircles,
  findUpwardImports,
  findUpwardPackageImports,
  floors,
  isCode,
  listImports,
  listPackagesWithSource,
  numberFloors,
  readFiles,
  readTopFolder,
  root,
  toSourceFolder,
} from './floors.ts'

const gatewayFiles = readFiles(toSourceFolder('gateway'), isCode)

describe('floors', () => {
  it('are listed for every package', () => {
    expect(listPackagesWithSource().sort()).toEqual(Object.keys(floors).sort())
  })

  describe.each(Object.entries(floors))('of %s', (name, list) => {
    const files = readFiles(toSourceFolder(name), isCode)

    it('name every file and folder, and nothing else', () => {
      expect([...numberFloors(list).keys()].sort()).toEqual(
        [...new Set(files.map(({ path }) => readTopFolder(path)))].sort(),
      )
    })

    it('are imported downwards only, types included', () => {
      expect(findUpwardImports(list, files).sort()).toEqual([])
    })
  })

  it.each([
    ['gateway', 'kernel/clock.ts', "import type { Gateway } from '../gateway.ts'", 'gateway.ts'],
    ['sandbox-erp', 'ledger/bills.ts', "export * from '../orders/documents.ts'", 'orders/documents.ts'],
    ['connector', 'erp.ts', "const { erpServer } = await import('./server.ts')", 'server.ts'],
    ['trials', 'client.ts', "import './trial.ts'", 'trial.ts'],
  ])('notice a planted upward import in %s', (name, path, text, target) => {
    expect(findUpwardImports(floors[name] ?? [], [{ path, text }])).toEqual([`${path} imports ${target}`])
  })
})

describe('imports over all packages', () => {
  const graph = buildImportGraph()

  it('go from a higher package to a lower one', () => {
    expect(findUpwardPackageImports(graph)).toEqual([])
    const planted = new Map([['connector/src/erp.ts', ['gateway/src/gateway.ts']]])
    expect(findUpwardPackageImports(planted)).toHaveLength(1)
  })

  it('lead to files that exist, so that no import is overlooked', () => {
    const missing = [...graph].flatMap(([file, targets]) =>
      targets
        .filter((target) => target.endsWith('.ts') && target.includes('/src/') && !graph.has(target))
        .map((target) => `${file} imports ${target}`),
    )
    expect(missing).toEqual([])
  })

  it('have no circle of files, types included', () => {
    expect(findImportCircles(graph)).toEqual([])
  })

  it('show a planted circle of files in two packages', () => {
    const planted = new Map(graph)
    planted.set('connector/src/money.ts', ['sandbox-erp/src/store.ts'])
    planted.set('sandbox-erp/src/store.ts', ['connector/src/index.ts'])
    const files = findImportCircles(planted).flat()
    expect(files).toContain('connector/src/money.ts')
    expect(files).toContain('sandbox-erp/src/store.ts')
  })
})

/** The only file or folder that may write a table, by the name of the table. */
const writers = {
  orders: 'orders/kind.ts',
  dropship_orders: 'dropship/kind.ts',
  reservations: 'reservations/kind.ts',
  holds: 'holds/',
  carts: 'carts/',
  shipments: 'ordering/shipments.ts',
  intents: 'writes/',
  idempotency_keys: 'writes/keys.ts',
} as const

/** Finds files that write to a table they do not own, including in raw SQL. */
function findForeignWrites(files: readonly File[]): string[] {
  return Object.entries(writers).flatMap(([table, owner]) => {
    const builder = `(?:insertInto|updateTable|deleteFrom|replaceInto|mergeInto)\\(\\s*['"\`]${table}\\b`
    const batches = `deleteInBatches\\([^)]*table:\\s*['"\`]${table}\\b`
    const raw = `\\b(?:insert\\s+into|update|delete\\s+from|truncate)\\s+${table}\\b`
    const writes = new RegExp(`${builder}|${batches}|sql[^\`]*\`[^\`]*${raw}`, 'i')
    return files
      .filter(({ path, text }) => writes.test(text) && !path.startsWith(owner))
      .map(({ path }) => `${path} writes ${table}`)
  })
}

describe('tables of documents', () => {
  // Housekeeping deletes expired keys.
  const known = ['housekeeping.ts writes idempotency_keys']

  it('are written by their own kind only', () => {
    expect(findForeignWrites(gatewayFiles)).toEqual(known)
  })

  it.each([
    "await tx.updateTable('orders').set(fields)",
    "db.insertInto(\n  'orders')",
    "deleteInBatches(db, {\n  table: 'orders',",
    'await sql`update orders set status = 1`.execute(db)',
    'sql<Row>`with x as (delete from orders returning *) select 1`',
  ])('are guarded against a planted write: %s', (text) => {
    expect(findForeignWrites([{ path: 'carts/carts.ts', text }])).toEqual(['carts/carts.ts writes orders'])
  })
})

describe('edges', () => {
  const listOffenders = (pattern: RegExp, isAllowed: (path: string) => boolean) =>
    gatewayFiles.filter(({ path, text }) => pattern.test(text) && !isAllowed(path)).map(({ path }) => path)

  it('reads the environment at the start only', () => {
    const starts = ['program.ts', 'audit-command.ts', 'backup-command.ts', 'restore-command.ts']
    // A sample is the text of a client's program.
    starts.push('pages/reference/sdk-sample.ts')
    expect(listOffenders(/process\.env/, (path) => starts.includes(path))).toEqual([])
  })

  it('takes time and randomness from the gateway record', () => {
    expect(
      // A collection has the text of scripts that run in a client's tool.
      listOffenders(
        /Date\.now|Math\.random|performance\.now|new Date\(\)/,
        (path) => path.startsWith('kernel/') || path.startsWith('projections/collections/'),
      ),
    ).toEqual([])
    expect(
      listOffenders(
        /randomBytes|randomUUID/,
        (path) => path.startsWith('kernel/') || path.startsWith('start/'),
      ),
    ).toEqual([])
  })

  it('has no SQL clock in any query', () => {
    expect(listOffenders(/sql`[^`]*\bnow\(\)/, () => false)).toEqual([])
  })

  it('has no file that nothing uses', () => {
    const imported = new Set(gatewayFiles.flatMap((file) => listImports(file)))
    const tests = readFiles(join(root, 'packages/gateway/tests'), (path) => path.endsWith('.ts'))
    for (const { text } of tests)
      for (const target of text.matchAll(/'\.\.\/src\/([^']+)'/g)) imported.add(target[1] ?? '')
    const starts = [
      'command.ts',
      'main.ts',
      'audit-command.ts',
      'projections/write-openapi.ts',
      'pages/docs/command.ts',
      'translations/command.ts',
    ]
    expect(
      gatewayFiles.map(({ path }) => path).filter((path) => !imported.has(path) && !starts.includes(path)),
    ).toEqual([])
  })
})

describe('generated files', () => {
  it.each([
    ['openapi.json', serializeOpenApi],
    ['admin-openapi.json', serializeAdminOpenApi],
    ['connector-openapi.json', serializeConnectorOpenApi],
  ])('contract/%s is what the catalogue says (npm run contract)', (file, serialize) => {
    expect(readFileSync(join(root, 'contract', file), 'utf8')).toBe(serialize())
  })
})
