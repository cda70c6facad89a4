import { execFile } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { compileSources, packFolder } from './pack-package.ts'
import { listProductionPackages, type ProductionPackage, readRootFile, root } from './production-packages.ts'
import { createSbom, sbomFile } from './sbom.ts'

/**
 * Packs the gateway as the package `trade-gateway`: one tarball with the gateway, the sandbox ERP, the built console, the
 * guides, and every package that they import. It repeats the folders of this checkout with JavaScript in place of
 * TypeScript, so that a path between two files is the same in both.
 *
 * All dependencies are bundled, because npm ignores the lock file and the `overrides` of a dependency. What is installed
 * is then exactly what was tested, and what the SBOM lists.
 */

const run = promisify(execFile)
const workspaces = {
  '@trade-gateway/connector': 'packages/connector',
  '@trade-gateway/sandbox-erp': 'packages/sandbox-erp',
} as const
const command = './packages/gateway/src/command.js'

/** What the package takes from the checkout as it is. */
const copied = [
  'docs/en',
  'docs/zh',
  'docs/ko',
  'contract',
  'deploy',
  'ops',
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'THIRD-PARTY-NOTICES.md',
  'packages/gateway/src/pages/assets',
  'packages/gateway/src/projections/examples.json',
  'packages/gateway/src/projections/error-examples.json',
] as const

/** Where `deploy/make-secrets.sh` writes. It is never part of a package. */
const secretsFolder = join(root, 'deploy/secrets')

/** Declarations, sources and source maps of packages. */
const unread = /\.(?:[cm]?ts|map)$/

const names = z.record(z.string(), z.string()).default({})
const manifestShape = z.looseObject({
  name: z.string(),
  version: z.string(),
  description: z.string(),
  license: z.string(),
  exports: names,
  dependencies: names,
  peerDependencies: names,
  peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.boolean() })).default({}),
  engines: names,
})
type Manifest = z.infer<typeof manifestShape>

/** Builds and packs the gateway into `destination`. Returns the path of the tarball. Requires no network. */
export async function packGateway(destination: string): Promise<string> {
  const stage = await mkdtemp(join(tmpdir(), 'pack-gateway-'))
  try {
    await stageGateway(stage)
    return await packFolder(stage, destination)
  } finally {
    await rm(stage, { recursive: true })
  }
}

async function stageGateway(stage: string): Promise<void> {
  await compilePrograms(stage)
  for (const path of copied) await copyPath(path, join(stage, path))
  await buildConsole(join(stage, 'packages/console/dist'))
  for (const [name, folder] of Object.entries(workspaces))
    await writeJson(
      join(stage, 'node_modules', name, 'package.json'),
      toBuiltManifest(await readManifest(folder)),
    )
  for (const each of listBundled()) await copyPackage(each, join(stage, each.folder))
  await writeRootManifest(stage)
  await writeJson(join(stage, sbomFile), createSbom())
}

/** Compiles without checking types, which `npm test` does; that takes a fifth of the time. */
async function compilePrograms(stage: string): Promise<void> {
  const folders = ['packages/gateway', ...Object.values(workspaces)]
  const built = join(stage, 'built')
  await compileSources({
    folders: folders.map((folder) => join(root, folder, 'src')),
    rootDir: join(root, 'packages'),
    outDir: built,
    options: { noCheck: true },
  })
  await cp(join(built, 'gateway'), join(stage, 'packages/gateway'), { recursive: true })
  for (const [name, folder] of Object.entries(workspaces))
    await cp(join(stage, folder.replace('packages', 'built')), join(stage, 'node_modules', name), {
      recursive: true,
    })
  await rm(built, { recursive: true })
}

async function copyPath(path: string, target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true })
  await cp(join(root, path), target, { recursive: true, filter: (source) => source !== secretsFolder })
}

/**
 * Lists the packages from the registry that the package brings along. Whoever runs it has a Node already. Throws if one
 * is not at the top of `node_modules`: the package has no workspaces of its own below which two versions could be.
 */
function listBundled(): ProductionPackage[] {
  const bundled = listProductionPackages(readRootFile('package-lock.json')).filter(
    ({ name }) => !name.startsWith('node-linux-'),
  )
  const nested = bundled.find(({ folder }) => !folder.startsWith('node_modules/'))
  if (nested)
    throw new Error(`${nested.folder} is not at the top of node_modules. Use one version of it everywhere.`)
  return bundled
}

/** Copies an installed package, without what only editors and debuggers read: half of its size. */
async function copyPackage({ folder }: ProductionPackage, target: string): Promise<void> {
  await cp(join(root, folder), target, { recursive: true, filter: (source) => !unread.test(source) })
}

/** Builds the console as the first start of a checkout does, into the package. */
async function buildConsole(target: string): Promise<void> {
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  if (!existsSync(vite)) throw new Error('Vite is not installed. Run npm ci, then try again.')
  const env = { NODE_ENV: 'production' }
  const args = [vite, 'build', '--outDir', target, '--emptyOutDir']
  await run(process.execPath, args, { cwd: join(root, 'packages/console'), env })
  if (globSync('assets/*.js', { cwd: target }).length === 0) throw new Error('vite build wrote no script.')
}

/** Writes the manifest of the package, from those of the gateway, its workspaces and the checkout. */
async function writeRootManifest(stage: string): Promise<void> {
  const { name, version, description, license, engines } = await readManifest('.')
  const gateway = await readManifest('packages/gateway')
  const imported = await Promise.all(Object.values(workspaces).map(readManifest))
  const dependencies = Object.assign({}, ...imported.map((each) => each.dependencies), gateway.dependencies)
  const { peerDependencies, peerDependenciesMeta } = gateway
  await writeJson(join(stage, 'package.json'), {
    name,
    version,
    description,
    license,
    type: 'module',
    engines,
    bin: { 'trade-gateway': command },
    dependencies,
    bundleDependencies: Object.keys(dependencies),
    peerDependencies,
    peerDependenciesMeta,
    scarfSettings: { enabled: false },
  })
  await writeJson(join(stage, 'packages/gateway/package.json'), toBuiltManifest(gateway))
}

/** Converts a manifest whose exports name TypeScript. */
function toBuiltManifest({ name, version, license, exports, dependencies }: Manifest) {
  const built = Object.entries(exports).map(([entry, path]) => [entry, path.replace(/\.ts$/, '.js')])
  return { name, version, license, type: 'module', exports: Object.fromEntries(built), dependencies }
}

async function readManifest(folder: string): Promise<Manifest> {
  return manifestShape.parse(JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8')))
}

async function writeJson(path: string, value: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, `${JSON.stringify(value, null, 2)}\n`)
}
