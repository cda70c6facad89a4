/** The floors of each package, that is, which folders may import which. Tests check the files against them. */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix, relative, sep } from 'node:path'

export const root = join(import.meta.dirname, '../../..')

export interface File {
  /** The path below the searched folder, with `/` on every operating system. */
  readonly path: string
  readonly text: string
}

/**
 * The files and folders of each package's `src`, highest floor first. A file imports only from its own folder and from
 * lower floors, types included. Folders on the same floor never import each other.
 */
export const floors: Readonly<Record<string, readonly (readonly string[])[]>> = {
  gateway: [
    ['command.ts'],
    ['main.ts', 'audit-command.ts', 'backup-command.ts', 'restore-command.ts'],
    ['program.ts'],
    ['backup'],
    ['start'],
    ['compose.ts', 'workers.ts', 'translations'],
    ['housekeeping.ts', 'measure.ts', 'reseal.ts'],
    ['http'],
    ['mcp', 'pages'],
    ['projections', 'pipeline'],
    ['catalogue.ts'],
    ['kinds.ts', 'writes.ts'],
    ['admin', 'sandbox'],
    [
      'orders',
      'dropship',
      'reservations',
      'carts',
      'shipments',
      'ledger',
      'products',
      'webhooks',
      'errors',
      'requests',
      'feedback',
    ],
    ['ordering'],
    ['holds'],
    ['documents'],
    ['idempotency', 'access'],
    ['writes'],
    ['events'],
    ['stock', 'reference'],
    ['audit', 'processes'],
    ['lists'],
    ['endpoint.ts'],
    ['gateway.ts'],
    ['document.ts', 'memory.ts'],
    ['snapshot', 'identity', 'upstream', 'valkey'],
    ['store'],
    ['metrics'],
    ['contract'],
    ['config.ts'],
    ['kernel'],
  ],
  'sandbox-erp': [
    ['main.ts', 'child.ts', 'testing'],
    ['serve.ts'],
    ['controls.ts', 'source.ts'],
    ['erp.ts'],
    ['steering.ts'],
    ['orders'],
    ['ledger', 'accounts.ts', 'products.ts', 'activity.ts', 'movements-csv.ts'],
    ['customers.ts', 'movements.ts'],
    ['seed.ts', 'faults'],
    ['stock.ts'],
    ['clock.ts', 'sequences.ts'],
    ['store.ts'],
    ['catalogue'],
  ],
  'connector-tryton': [
    ['main.ts', 'with-gateway.ts'],
    ['serve.ts', 'tryton', 'testing'],
    ['erp.ts'],
    ['feeds.ts', 'products.ts'],
    ['orders', 'hints.ts'],
    ['stock.ts', 'sign-in.ts', 'shipping.ts', 'cursor.ts', 'hinted.ts', 'ledger'],
    ['prices.ts', 'incoming.ts', 'customers.ts'],
    ['catalogue.ts'],
    ['connector.ts'],
    ['places.ts', 'steps.ts', 'forms.ts'],
    ['rights.ts'],
    ['rpc.ts', 'config.ts', 'values.ts'],
    ['environment.ts', 'failures.ts'],
  ],
  console: [
    ['main.tsx'],
    ['router.tsx'],
    ['shell'],
    ['pages'],
    ['charts'],
    ['parts'],
    ['api', 'search.ts'],
    ['session.ts', 'texts', 'theme.ts', 'nonce.ts'],
  ],
  connector: [
    ['conformance-command.ts', 'index.ts', 'openapi.ts', 'testing'],
    ['conformance.ts'],
    ['conformance'],
    ['server.ts'],
    ['client.ts'],
    ['erp.ts'],
    ['operations.ts', 'issues.ts'],
    ['statements.ts'],
    ['documents.ts'],
    ['money.ts', 'stop.ts', 'storable.ts', 'text.ts'],
  ],
  'connector-kit': [
    ['connector-command.ts', 'with-gateway.ts'],
    ['serve.ts', 'command-line.ts', 'sandbox', 'cached.ts'],
    ['clock.ts', 'locks.ts', 'output-file.ts', 'progress.ts', 'settings.ts', 'standard-streams.ts'],
  ],
  cli: [
    ['main.ts'],
    ['program.ts'],
    ['commands.ts'],
    ['commands'],
    ['doctor', 'listen', 'pull'],
    ['admin-token.ts', 'again.ts', 'body.ts', 'first-order.ts', 'period.ts', 'print.ts', 'writes.ts'],
    ['command-line.ts', 'complete.ts', 'help.ts', 'report.ts'],
    ['command.ts', 'connect.ts', 'global-options.ts'],
    ['context.ts'],
    ['declaration.ts', 'input.ts'],
    ['output', 'profiles'],
    ['target.ts'],
    ['event-types.ts', 'failures.ts', 'nearest.ts', 'environment.ts', 'wait.ts'],
  ],
  'create-channel': [['main.ts'], ['write-project.ts']],
  'create-connector': [['main.ts'], ['write-project.ts']],
  'connector-medusa': [
    ['main.ts', 'with-gateway.ts', 'medusa'],
    ['serve.ts'],
    ['erp.ts'],
    ['settlement.ts', 'listings.ts', 'orders.ts'],
    ['take-back.ts', 'order-results.ts'],
    ['holds.ts', 'order-draft.ts', 'order-refusals.ts'],
    ['quote.ts', 'intents.ts'],
    ['prices.ts', 'shipping.ts', 'stock.ts'],
    ['customers.ts'],
    ['goods.ts', 'documents.ts', 'order-reservations.ts'],
    ['catalogue.ts', 'placed.ts'],
    ['medusa-orders.ts', 'places.ts', 'price-lists.ts'],
    ['records.ts', 'steps.ts', 'config.ts'],
    ['http.ts', 'arrival.ts', 'amounts.ts', 'zones.ts', 'offers.ts'],
    ['failures.ts', 'environment.ts'],
  ],
  sdk: [
    ['index.ts', 'mirror'],
    ['client.ts'],
    ['recovery.ts', 'webhooks'],
    ['resources'],
    ['transport'],
    ['tokens'],
    ['errors', 'listeners.ts', 'wait.ts'],
    ['generated'],
  ],
  simulator: [
    ['main.ts', 'job.ts'],
    ['seeds.ts', 'totals.ts'],
    ['jobs.ts', 'shrink.ts'],
    ['world.ts'],
    ['calamities.ts', 'judge.ts', 'opening.ts'],
    ['clients', 'fleet.ts', 'stock-writes.ts'],
    ['erp-link.ts', 'planted.ts', 'process.ts', 'run-to-end.ts'],
    ['plan.ts', 'planted-names.ts', 'shared-dialect.ts'],
    ['shared-database.ts'],
    ['scheduler.ts', 'database-errors.ts', 'memory-database.ts'],
    ['platform.ts', 'random.ts', 'checker'],
    ['history'],
  ],
  trials: [
    ['soak'],
    ['kills'],
    ['demo.ts', 'order-replay', 'samples'],
    ['statement', 'summary.ts'],
    ['trial.ts', 'trial-command.ts'],
    [
      'judged-history.ts',
      'orders.ts',
      'replay.ts',
      'mirrored-stock.ts',
      'proof.ts',
      'running-gateway.ts',
      'redis-server.ts',
      'nginx.ts',
    ],
    ['supervised-process.ts'],
    ['follower.ts', 'sales.ts', 'child-process.ts', 'free-ports.ts', 'process-tree.ts'],
    [
      'client.ts',
      'checksum.ts',
      'compiled-code.ts',
      'generate-orders.ts',
      'months.ts',
      'tally.ts',
      'wait-at-most.ts',
    ],
  ],
}

/** The floors of the packages themselves, highest first. */
export const packageFloors = [
  ['console', 'trials', 'create-connector', 'create-channel', 'cli'],
  ['simulator'],
  ['gateway'],
  ['sandbox-erp', 'connector-tryton', 'connector-medusa'],
  ['connector-kit'],
  ['connector', 'sdk'],
] as const

export function readFiles(folder: string, isWanted: (path: string) => boolean): File[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(isWanted)
    .map((path) => ({
      path: path.split(sep).join(posix.sep),
      text: readFileSync(join(folder, path), 'utf8'),
    }))
}

export const isCode = (path: string) => /\.tsx?$/.test(path) && !path.endsWith('.test.ts')

export function toSourceFolder(name: string): string {
  return join(root, 'packages', name, 'src')
}

/** Lists the packages that have source files. */
export function listPackagesWithSource(): string[] {
  return readdirSync(join(root, 'packages')).filter((name) => existsSync(toSourceFolder(name)))
}

/** Lists the import specifiers of a file, including those of types, re-exports and dynamic imports. */
function listSpecifiers(text: string): string[] {
  return [...text.matchAll(/(?:\bfrom|\bimport\(|^import)\s*'([^']+)'/gm)].map(([, target = '']) => target)
}

/** Lists the imports of a file from its own package, as paths below the searched folder. */
export function listImports({ path, text }: File): string[] {
  return listSpecifiers(text)
    .filter((target) => target.startsWith('.'))
    .map((target) => posix.normalize(posix.join(posix.dirname(path), target)))
    .filter((target) => !target.startsWith('..'))
}

/** Returns the file or top folder of a package that a path belongs to. */
export const readTopFolder = (path: string) => path.split('/', 1)[0] ?? ''

export function numberFloors(list: readonly (readonly string[])[]): ReadonlyMap<string, number> {
  return new Map(list.flatMap((names, floor) => names.map((name) => [name, floor] as const)))
}

/** Finds imports within a package that do not go to a lower floor. */
export function findUpwardImports(list: readonly (readonly string[])[], files: readonly File[]): string[] {
  const floorOf = numberFloors(list)
  return files.flatMap((file) =>
    listImports(file)
      .filter((target) => readTopFolder(target) !== readTopFolder(file.path))
      .filter(
        (target) =>
          (floorOf.get(readTopFolder(target)) ?? -1) <= (floorOf.get(readTopFolder(file.path)) ?? Infinity),
      )
      .map((target) => `${file.path} imports ${target}`),
  )
}

/**
 * Maps every TypeScript file in the `src` and `tests` of the packages, by its path below `packages`, to the modules
 * that it imports.
 */
export function buildImportGraph(): Map<string, string[]> {
  const entries = readEntries()
  const files = readFiles(join(root, 'packages'), (path) =>
    /^[^/\\]+[/\\](?:src|tests)\b.*\.tsx?$/.test(path),
  )
  return new Map(
    files.map(({ path, text }) => [
      path,
      listSpecifiers(text).flatMap((target) => {
        if (!target.startsWith('.')) return entries.get(target) ?? []
        return posix.normalize(posix.join(posix.dirname(path), target))
      }),
    ]),
  )
}

/**
 * Maps package names such as `@trade-gateway/connector` to their source files, from the `exports` of each package.json.
 */
function readEntries(): Map<string, string> {
  return new Map(
    listPackagesWithSource().flatMap((name) => {
      const file = join(root, 'packages', name, 'package.json')
      const description: { name: string; exports?: Record<string, string> } = JSON.parse(
        readFileSync(file, 'utf8'),
      )
      return Object.entries(description.exports ?? {}).map(([entry, target]) => [
        posix.join(description.name, entry),
        relative(join(root, 'packages'), join(dirname(file), target))
          .split(sep)
          .join(posix.sep),
      ])
    }),
  )
}

/** Finds imports from the source of one package to a package that is not lower. Tests may import any package. */
export function findUpwardPackageImports(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const floorOf = numberFloors(packageFloors)
  const sources = [...graph].filter(([file]) => file.includes('/src/'))
  return sources.flatMap(([file, targets]) =>
    targets
      .filter((target) => readTopFolder(target) !== readTopFolder(file))
      .filter(
        (target) =>
          (floorOf.get(readTopFolder(target)) ?? -1) <= (floorOf.get(readTopFolder(file)) ?? Infinity),
      )
      .map((target) => `${file} imports ${target}`),
  )
}

/**
 * Finds import cycles, at least one if any exist. Each is a list of files that starts and ends with the same file.
 */
export function findImportCircles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const done = new Set<string>()
  const circles: string[][] = []
  const visit = (file: string, way: readonly string[]) => {
    const start = way.indexOf(file)
    if (start >= 0) return void circles.push([...way.slice(start), file])
    if (done.has(file)) return
    for (const target of graph.get(file) ?? []) visit(target, [...way, file])
    done.add(file)
  }
  for (const file of graph.keys()) visit(file, [])
  return circles
}
